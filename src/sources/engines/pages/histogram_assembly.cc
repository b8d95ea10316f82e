#include "sources/engines/pages/histogram_assembly.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "wire/prometheus_text/number.h"

namespace warpsight::engines {
namespace {

constexpr double kMostExact = 9007199254740992;  // 2^53: above it a double skips whole numbers

bool is_count(double value) { return value >= 0 && value <= kMostExact; }

}  // namespace

std::optional<double> bound_of(const SeriesText& bucket) {
  double bound = 0;
  const bool good = prometheus_text::parse_number(bucket.value_of(kBoundLabel), bound);
  if (!good || std::isnan(bound) || bound == -INFINITY) return std::nullopt;
  return bound;
}

std::optional<HistogramParts> find_parts(std::span<const Binding* const> group, double scale) {
  HistogramParts parts;
  SeriesId count = kNone;
  std::vector<const Binding*> buckets;
  for (const Binding* binding : group) {
    switch (binding->part) {
      case Part::bucket: buckets.push_back(binding); break;
      case Part::sum: parts.sum = binding->series; break;
      case Part::count: count = binding->series; break;
      case Part::created: parts.created = binding->series; break;
      case Part::value: break;
    }
  }
  std::ranges::stable_sort(buckets, {}, &Binding::number);
  const auto repeated = std::ranges::unique(buckets, {}, &Binding::number);
  buckets.erase(repeated.begin(), repeated.end());
  for (const Binding* bucket : buckets) {
    if (std::isinf(bucket->number)) {
      parts.total = bucket->series;
    } else {
      parts.bounds.push_back(bucket->number * scale);
      parts.buckets.push_back(bucket->series);
    }
  }
  if (parts.total == kNone) parts.total = count;
  const auto& bounds = parts.bounds;
  const bool rising = std::ranges::adjacent_find(bounds, std::greater_equal{}) == bounds.end() &&
                      std::ranges::all_of(bounds, [](double b) { return std::isfinite(b); });
  if (parts.total == kNone || parts.sum == kNone || !rising) return std::nullopt;
  return parts;
}

bool add_buckets(std::span<const SeriesId> buckets, SeriesId total, std::span<const double> values,
                 std::span<uint64_t> counts) {
  double below = 0;
  const auto not_falling = [&](SeriesId id) {
    const bool good = is_count(values[id]) && values[id] >= below;
    below = values[id];
    return good;
  };
  if (!std::ranges::all_of(buckets, not_falling) || !not_falling(total)) return false;

  uint64_t before = 0;
  const auto add = [&](uint64_t& count, SeriesId id) {
    const auto until = static_cast<uint64_t>(values[id]);
    count += until - before;
    before = until;
  };
  for (size_t i = 0; i < buckets.size(); ++i) add(counts[i], buckets[i]);
  add(counts[buckets.size()], total);
  return true;
}

}  // namespace warpsight::engines
