// Quantiles of what fell into buckets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace warpsight {

// Linear inside a bucket, the first of which begins at zero (at its own bound when that is not
// above zero); above the last bound it is the last bound. `counts` are of each bucket alone and one
// more than bounds. nullopt when nothing was counted or there are no bounds.
std::optional<double> histogram_quantile(std::span<const double> bounds,
                                         std::span<const uint64_t> counts, double q);

}  // namespace warpsight
