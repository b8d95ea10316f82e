// What PagePlan does at every scrape.
#include <algorithm>
#include <cmath>
#include <optional>

#include "sources/engines/pages/histogram_assembly.h"
#include "sources/engines/pages/page_plan.h"

namespace warpsight::engines {
namespace {

// Zero for what cannot be a moment at which something began.
Time start_of(double created, Time now) {
  if (!(created > 0) || created > to_unix_seconds(now)) return {};
  return Time{std::chrono::duration_cast<Duration>(std::chrono::duration<double>(created))};
}

// nullopt while a part is not known: a sum without it would look like a reset.
template <typename Terms>
std::optional<double> counter_of(const Terms& terms, std::span<const double> values) {
  double total = 0;
  for (const auto& [series, scale] : terms) {
    if (!(values[series] >= 0)) return std::nullopt;
    total += values[series] * scale;
  }
  return total;
}

// Of what is a number; nullopt when nothing is.
template <typename Terms>
std::optional<double> gauge_of(const Terms& terms, std::span<const double> values, Across across) {
  double total = 0;
  double highest = -INFINITY;
  size_t known = 0;
  for (const auto& [series, scale] : terms) {
    const double value = values[series] * scale;
    if (!std::isfinite(value)) continue;
    total += value;
    highest = std::max(highest, value);
    ++known;
  }
  if (known == 0) return std::nullopt;
  switch (across) {
    case Across::sum: break;
    case Across::mean: return total / static_cast<double>(known);
    case Across::max: return highest;
  }
  return total;
}

template <typename Terms>
std::optional<double> newest_items(const Terms& terms, std::span<const double> values) {
  double newest = -INFINITY;
  std::optional<double> items;
  for (const auto& [series, count] : terms) {
    if (!std::isfinite(values[series]) || values[series] < newest) continue;
    newest = values[series];
    items = count;
  }
  return items;
}

}  // namespace

PagePlan::Outcome PagePlan::tell(std::span<const double> values, std::span<const uint8_t> speaks,
                                 Batch& out) {
  out.renewed.insert(out.renewed.end(), renewed_.begin(), renewed_.end());
  renewed_.clear();
  const auto may_tell = [&](const Slot& slot) {
    return slot.model == kNone || speaks[slot.model] != 0;
  };
  Outcome outcome = always_;
  for (const Number& number : numbers_) {
    if (may_tell(number.slot)) tell_number(number, values, out);
  }
  for (const Distribution& distribution : distributions_) {
    if (!may_tell(distribution.slot)) continue;
    if (!tell_distribution(distribution, values, out)) ++outcome.torn;
  }
  return outcome;
}

void PagePlan::tell_number(const Number& number, std::span<const double> values, Batch& out) const {
  const Slot& slot = number.slot;
  const auto terms = std::span(terms_).subspan(number.first_term, number.terms);
  const bool counter = slot.kind == MetricKind::counter;
  const auto value = slot.items ? newest_items(terms, values)
                     : counter  ? counter_of(terms, values)
                                : gauge_of(terms, values, slot.across);
  if (!value || !std::isfinite(*value)) return;
  Time start{};
  for (const SeriesId id : std::span(starts_).subspan(number.first_start, number.starts)) {
    start = std::max(start, start_of(values[id], out.now()));
  }
  out.add_counter(slot.metric, slot.entity, *value, start);
}

bool PagePlan::tell_distribution(const Distribution& distribution, std::span<const double> values,
                                 Batch& out) {
  const auto counts = std::span(counts_).first(distribution.bounds + size_t{1});
  std::ranges::fill(counts, 0);
  double sum = 0;
  Time start{};
  for (const DistributionPart& part :
       std::span(parts_).subspan(distribution.first_part, distribution.parts)) {
    const auto buckets = std::span(buckets_).subspan(part.first_bucket, distribution.bounds);
    if (!add_buckets(buckets, part.total, values, counts)) return false;
    sum += values[part.sum] * part.scale;
    if (part.created != kNone) {
      start = std::max(start, start_of(values[part.created], out.now()));
    }
  }
  if (!std::isfinite(sum)) return false;
  const auto bounds = std::span(bounds_).subspan(distribution.first_bound, distribution.bounds);
  out.add_histogram(distribution.slot.metric, distribution.slot.entity, bounds, counts, sum, start);
  return true;
}

}  // namespace warpsight::engines
