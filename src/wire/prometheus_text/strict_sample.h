// A sample taken apart for those who check it: names and labels without escapes, and whether the
// line has a byte that one of the specifications does not allow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/prometheus_text/sample.h"

namespace warpsight::prometheus_text {

// A reason why not, or nothing.
using Reason = std::string_view;

struct Label {
  std::string name;
  std::string value;
  friend auto operator<=>(const Label&, const Label&) = default;
};
using Labels = std::vector<Label>;  // sorted by name

struct StrictSample {
  std::string name;
  Labels labels;
  SampleView view;

  const std::string* label(std::string_view wanted) const;
};

// Reads a line of the format and checks what concerns that line alone.
Reason read_strict_sample(std::string_view line, TextFormat format, StrictSample& sample);

// The same for what OpenMetrics allows behind a sample.
Reason read_strict_exemplar(std::string_view text, StrictSample& exemplar);

std::string unescaped(std::string_view text);

// Whether each backslash begins `\\`, `\"` or `\n`.
bool has_known_escapes(std::string_view text);

// One string for a set of labels, the same for no other.
std::string key_of(const Labels& labels);

}  // namespace warpsight::prometheus_text
