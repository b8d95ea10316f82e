#include "wire/otlp/exponential_layout.h"

#include <cmath>
#include <numbers>

namespace warpsight::otlp {
namespace {

constexpr int32_t kFinestScale = 20;
constexpr int32_t kCoarsestScale = -10;

int64_t index_of(double value, int32_t scale) {
  return static_cast<int64_t>(std::ceil(std::ldexp(std::log2(value), scale))) - 1;
}

// Below the first bound above zero nothing is known but that; half of it is as good as any.
double middle_of(std::span<const double> bounds, size_t bucket) {
  const double upper = bounds[bucket];
  if (bucket == 0 || bounds[bucket - 1] <= 0) return upper / std::numbers::sqrt2;
  return std::sqrt(bounds[bucket - 1]) * std::sqrt(upper);
}

}  // namespace

ExponentialLayout::ExponentialLayout(std::span<const double> bounds) {
  places_.assign(bounds.size() + 1, kZero);
  size_t first = 0;
  while (first < bounds.size() && bounds[first] <= 0) ++first;
  if (first == bounds.size()) return;

  const double lowest = middle_of(bounds, first);
  // What lies above all bounds goes just above the last.
  const auto overflow = [&](int32_t scale) { return index_of(bounds.back(), scale) + 1; };
  scale_ = kFinestScale;
  while (scale_ > kCoarsestScale && overflow(scale_) - index_of(lowest, scale_) >= kMaxBuckets) {
    --scale_;
  }
  const int64_t first_index = index_of(lowest, scale_);
  const auto place_of = [&](int64_t index) { return static_cast<int32_t>(index - first_index); };
  offset_ = static_cast<int32_t>(first_index);
  size_ = place_of(overflow(scale_)) + 1;
  for (size_t i = first; i < bounds.size(); ++i) {
    places_[i] = place_of(index_of(middle_of(bounds, i), scale_));
  }
  places_.back() = size_ - 1;
}

uint64_t ExponentialLayout::spread(std::span<const uint64_t> counts,
                                   std::vector<uint64_t>& buckets) const {
  buckets.assign(static_cast<size_t>(size_), 0);
  uint64_t zeros = 0;
  for (size_t i = 0; i < counts.size() && i < places_.size(); ++i) {
    if (places_[i] == kZero) {
      zeros += counts[i];
    } else {
      buckets[static_cast<size_t>(places_[i])] += counts[i];
    }
  }
  return zeros;
}

}  // namespace warpsight::otlp
