#include "core/histogram_quantile.h"

#include <algorithm>
#include <numeric>

namespace warpsight {

std::optional<double> histogram_quantile(std::span<const double> bounds,
                                         std::span<const uint64_t> counts, double q) {
  const uint64_t total = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  if (total == 0 || bounds.empty()) return std::nullopt;
  const double rank = q * static_cast<double>(total);
  double below = 0;
  for (size_t i = 0; i < bounds.size(); ++i) {
    const auto inside = static_cast<double>(counts[i]);
    if (inside > 0 && below + inside >= rank) {
      const double low = i == 0 ? std::min(0.0, bounds[0]) : bounds[i - 1];
      return low + (bounds[i] - low) * (rank - below) / inside;
    }
    below += inside;
  }
  return bounds.back();
}

}  // namespace warpsight
