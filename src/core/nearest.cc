#include "core/nearest.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpsight {
namespace {

constexpr std::size_t kLongest = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  using Row = std::array<std::size_t, kLongest + 1>;
  Row two_back{};
  Row previous{};
  Row current{};
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      std::size_t best = previous[j - 1] + (same ? 0 : 1);
      best = std::min({best, previous[j] + 1, current[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) best = std::min(best, two_back[j - 2] + 1);
      current[j] = best;
    }
    two_back = std::exchange(previous, current);
  }
  return previous[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view found;
  // A third of the letters wrong is a slip, more is another word.
  std::size_t closest = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < closest) {
      closest = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace warpsight
