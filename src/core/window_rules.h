// Values that say something of a window of time and are made of counters and histograms: rates and
// shares. Declared beside the metric they make, computed once for every sink.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/catalogue.h"

namespace warpsight {

// What a counter or a histogram gained over the window.
struct WindowTerm {
  enum class Part : uint8_t {
    value,  // of a counter
    sum,    // of a histogram
    count,  // of a histogram
  };
  Metric metric;
  Part part = Part::value;
};

// With one or several terms, whose gains are added up.
struct WindowRule {
  enum class Kind : uint8_t {
    rate,   // over / seconds that passed
    ratio,  // over / under; absent while `under` gained nothing
  };
  Metric to;
  Kind kind = Kind::rate;
  std::vector<WindowTerm> over;
  std::vector<WindowTerm> under = {};
};

// A rule stays as long as the process; the same rule again is taken once. Thread-safe.
void add_window_rule(const WindowRule& rule);

// How many there are: they are only ever added.
size_t window_rule_count();

// Copies of the rules from `first` on, in the order they were added.
std::vector<WindowRule> window_rules(size_t first = 0);

}  // namespace warpsight
