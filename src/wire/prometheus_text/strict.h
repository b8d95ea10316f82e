// Whether a page keeps to its specification: the first thing in it that does not. Slow next to
// reader.h, which takes more than this lets pass; a page that passes here is read there whole.
//
// Classic text is held to what `promtool check metrics` accepts, OpenMetrics to version 1.0 of its
// specification. In both, names may be quoted UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/prometheus_text/sample.h"

namespace warpsight::prometheus_text {

struct Violation {
  uint64_t line;  // the first is 1; for what a family or metric lacks, where that begins
  std::string_view reason;
};

std::optional<Violation> find_violation(std::string_view body, TextFormat format);

}  // namespace warpsight::prometheus_text
