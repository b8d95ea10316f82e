// Decimal digits, eight at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace warpsight::prometheus_text {

namespace detail {

inline constexpr std::array<uint64_t, 9> kShift = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

inline constexpr uint64_t kZeros = 0x3030303030303030;

inline uint64_t eight_bytes(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// How many of the bytes, from the first, are digits. A byte that carries into the next is none.
inline unsigned leading_digits(uint64_t word) {
  constexpr uint64_t kHigh = 0xf0f0f0f0f0f0f0f0;
  const uint64_t others =
      ((word & kHigh) ^ kZeros) | (((word + 0x0606060606060606) & kHigh) ^ kZeros);
  return static_cast<unsigned>(std::countr_zero(others)) / 8;
}

// The number whose last digits are the highest of eight bytes of 0 to 9.
inline uint64_t value_of_eight(uint64_t word) {
  word = word * 10 + (word >> 8U);
  const uint64_t even = (word & 0x000000ff000000ff) * 0x000f424000000064;
  const uint64_t odd = ((word >> 16U) & 0x000000ff000000ff) * 0x0000271000000001;
  return (even + odd) >> 32U;
}

// The first `count` bytes of a word, less than eight, which are digits.
inline uint64_t value_of_first(uint64_t word, unsigned count) {
  return value_of_eight(((word - kZeros) << 8U) << (56 - 8 * count));
}

}  // namespace detail

// Appends the digits that `at` begins with to `value`, modulo 2^64, and returns their end.
inline const char* read_digits(const char* at, const char* end, uint64_t& value) {
  while (end - at >= 8) {
    const uint64_t word = detail::eight_bytes(at);
    const unsigned count = detail::leading_digits(word);
    if (count < 8) {
      value = value * detail::kShift[count] + detail::value_of_first(word, count);
      return at + count;
    }
    value = value * detail::kShift[8] + detail::value_of_eight(word - detail::kZeros);
    at += 8;
  }
  for (; at < end && static_cast<uint8_t>(*at - '0') < 10; ++at) {
    value = value * 10 + static_cast<uint8_t>(*at - '0');
  }
  return at;
}

}  // namespace warpsight::prometheus_text
