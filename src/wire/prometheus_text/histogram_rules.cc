#include "wire/prometheus_text/histogram_rules.h"

#include <cmath>

namespace warpsight::prometheus_text {

Reason HistogramRules::add_bucket(double le, double count) {
  any_ = true;
  if (bound_ && le <= *bound_) return "buckets out of order";
  if (count < bucket_count_) return "a bucket has less than the one before it";
  bound_ = le;
  bucket_count_ = count;
  negative_bounds_ |= le < 0;
  return {};
}

void HistogramRules::add(std::string_view suffix, double value) {
  any_ = true;
  if (suffix == "_count" || suffix == "_gcount") count_ = value;
  if (suffix == "_sum") has_sum_ = true;
  if (suffix == "_gsum") {
    has_gauge_sum_ = true;
    negative_gauge_sum_ = value < 0;
  }
}

Reason HistogramRules::finish() const {
  if (!any_) return {};
  const bool sum = has_sum_ || has_gauge_sum_;
  if (!bound_ || !std::isinf(*bound_)) return "a histogram without its +Inf bucket";
  if (count_ && *count_ != bucket_count_) return "the count is not that of the +Inf bucket";
  if (sum && !count_) return "a sum without a count";
  if (!sum && count_) return "a count without a sum";
  if (negative_bounds_ && has_sum_) return "a sum beside buckets of negative values";
  if (!negative_bounds_ && negative_gauge_sum_) return "a negative sum without negative buckets";
  return {};
}

}  // namespace warpsight::prometheus_text
