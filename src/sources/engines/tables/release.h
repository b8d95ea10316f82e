// Releases as servers number them: "0.9.2", "v0.6.6.post1", "0.28.0rc1", "b5440".
#pragma once

#include <compare>
#include <string_view>

namespace warpsight::engines {

// Numbers count as numbers; what stands before the first one does not count. A release candidate
// (alpha, beta, dev) comes before its release, a post-release after it.
std::weak_ordering compare_releases(std::string_view a, std::string_view b);

}  // namespace warpsight::engines
