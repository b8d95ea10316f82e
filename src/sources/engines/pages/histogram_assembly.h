// Histograms out of the samples that a page has of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sources/engines/pages/bindings.h"
#include "sources/engines/pages/series_text.h"

namespace warpsight::engines {

inline constexpr std::string_view kBoundLabel = "le";

// Upper bound of a bucket, maybe infinite; nullopt when it is no number or no bound.
std::optional<double> bound_of(const SeriesText& bucket);

// Where the parts of one histogram are, buckets by rising bound.
struct HistogramParts {
  std::vector<double> bounds;     // finite, scaled
  std::vector<SeriesId> buckets;  // one a bound: how many are not above it
  SeriesId total = kNone;         // how many in all
  SeriesId sum = kNone;
  SeriesId created = kNone;  // kNone: not on the page
};

// Of bindings that share a slot and a group, in any order. Of two buckets with one bound the first
// counts; without a bucket above all the count stands for it. nullopt when parts are missing or the
// bounds are none.
std::optional<HistogramParts> find_parts(std::span<const Binding* const> group, double scale);

// Adds to `counts`, one more than `buckets`, what lies in each bucket alone. False, with `counts`
// as it was, when a count is no number or falls with rising bounds: the page was written while it
// was counted, or is wrong.
bool add_buckets(std::span<const SeriesId> buckets, SeriesId total, std::span<const double> values,
                 std::span<uint64_t> counts);

}  // namespace warpsight::engines
