// What OpenMetrics asks of the samples that make up one histogram at one time.
#pragma once

#include <optional>
#include <string_view>

#include "wire/prometheus_text/strict_sample.h"

namespace warpsight::prometheus_text {

class HistogramRules {
 public:
  // Another histogram, or the same at another time, begins.
  void reset() { *this = HistogramRules{}; }

  // The next bucket, in the order of the page.
  Reason add_bucket(double le, double count);
  // Any other sample; `suffix` is what its name has behind the family's.
  void add(std::string_view suffix, double value);
  // Whether what was added is whole.
  Reason finish() const;

 private:
  bool any_ = false;
  std::optional<double> bound_;  // of the last bucket
  double bucket_count_ = 0;
  std::optional<double> count_;
  bool has_sum_ = false;
  bool has_gauge_sum_ = false;
  bool negative_bounds_ = false;
  bool negative_gauge_sum_ = false;
};

}  // namespace warpsight::prometheus_text
