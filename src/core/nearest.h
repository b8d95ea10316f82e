// "Did you mean": the closest of a set of names.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace warpsight {

// Insertions, deletions, substitutions and swaps of neighbours, case ignored. Names are cut at
// 64 characters, so that a hostile key costs no more than a long one.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or empty when none is near enough to be what was meant.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace warpsight
