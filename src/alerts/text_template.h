// Texts of rules: "GPU {{ gpu.index }} of {{ k8s.pod.name or slurm.job.id or "nobody" }} is at
// {{ value }}".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "core/result.h"

namespace warpsight::alerts {

class TextTemplate {
 public:
  // What is between braces is a list of attributes, "value" and quoted texts, separated by "or":
  // the first that is not empty counts.
  static Result<TextTemplate> parse(std::string_view text);

  // An attribute that is not there is empty.
  std::string render(std::span<const Attribute> attributes, std::string_view value) const;

  // In Prometheus' template language; `value` is what stands for the value there ("$value").
  std::string for_prometheus(std::string_view value) const;

 private:
  enum class Kind : uint8_t { text, attribute, value };
  struct Choice {
    Kind kind;
    std::string text;
  };
  // One after the other; each says its first choice that is not empty.
  std::vector<std::vector<Choice>> parts_;
};

// A number with its UCUM unit, as a person reads it: "93.1%", "86 °C", "1.5GiB".
std::string value_text(double value, std::string_view unit);
// The same text as an expression of Prometheus' template language.
std::string prometheus_value_text(std::string_view unit);

}  // namespace warpsight::alerts
