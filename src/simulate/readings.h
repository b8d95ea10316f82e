// The readings of a GPU that a scenario may override, by name.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace warpsight::simulate {

enum class Reading {
#define WARPSIGHT_READING(name) name,
#include "simulate/readings.def"
};

inline constexpr std::array kReadingNames = {
#define WARPSIGHT_READING(name) std::string_view(#name),
#include "simulate/readings.def"
};

inline constexpr std::size_t kReadingCount = kReadingNames.size();

constexpr std::size_t index_of(Reading reading) { return static_cast<std::size_t>(reading); }

}  // namespace warpsight::simulate
