// A scenario may ask for any number; these turn it into an integer without undefined behaviour.
#pragma once

#include <cstdint>

namespace warpsight::simulate {

constexpr std::uint32_t to_u32(double value) {
  if (!(value > 0)) return 0;
  return value >= 0x1p32 ? 0xffffffffU : static_cast<std::uint32_t>(value);
}

constexpr std::uint64_t to_u64(double value) {
  if (!(value > 0)) return 0;
  return value >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(value);
}

constexpr int to_int(double value) {
  if (!(value > -0x1p31)) return -0x7fffffff;
  return value >= 0x1p31 ? 0x7fffffff : static_cast<int>(value);
}

}  // namespace warpsight::simulate
