// What `promtool check metrics` minds in a page of the classic text format, line by line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "wire/prometheus_text/strict.h"
#include "wire/prometheus_text/strict_sample.h"

namespace warpsight::prometheus_text {

class ClassicRules {
 public:
  std::optional<Violation> line(std::string_view line, uint64_t number);
  std::optional<Violation> finish(uint64_t number, bool newline);

 private:
  struct Family {
    FamilyType type = FamilyType::unknown;
    bool typed = false;  // by a TYPE line or, as unknown, by a sample
    bool helped = false;
  };

  Reason metadata(std::string_view line);
  Reason sample(std::string_view line);
  Family& family_of(const std::string& name);

  std::unordered_map<std::string, Family> families_;
  bool blank_ = true;  // the line before the end has nothing on it
};

}  // namespace warpsight::prometheus_text
