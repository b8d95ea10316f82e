// The functions of the fake driver, by number and by name.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string_view>

namespace warpsight::simulate {

enum class Function {
#define WARPSIGHT_NVML(result, name, parameters) name,
#include "sources/nvml/functions.def"
};

inline constexpr std::array kFunctionNames = {
#define WARPSIGHT_NVML(result, name, parameters) std::string_view(#name),
#include "sources/nvml/functions.def"
};

inline constexpr std::size_t kFunctionCount = kFunctionNames.size();
using FunctionSet = std::bitset<kFunctionCount>;

constexpr std::size_t index_of(Function function) { return static_cast<std::size_t>(function); }

}  // namespace warpsight::simulate
