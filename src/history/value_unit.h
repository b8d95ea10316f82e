// Numbers as whole multiples of a unit, so that their differences are small: 1,410 MHz as 1410
// times a million, 0.93 as 93 hundredths. What is no such multiple is written by the bits of the
// double.
#pragma once

#include <cstdint>
#include <optional>

namespace warpsight {

// What may be lost of a number that is not a short decimal.
enum class Precision : uint8_t {
  exact,
  fine,    // 17 bits of the mantissa: less than 4 in a million
  coarse,  // 13 bits: less than 7 in a hundred thousand
};

// An index from 0 on; later ones are finer.
using ValueUnit = unsigned;
inline constexpr unsigned kUnitBits = 4;
inline constexpr ValueUnit kUnits = 15;

// The value in that unit; nullopt when that would lose more than the precision allows. Whole
// numbers below 2^53 lose nothing at any precision.
std::optional<int64_t> in_unit(double value, ValueUnit unit, Precision precision);

// The first unit from `least` on that will do; nullopt when none does.
std::optional<ValueUnit> find_unit(double value, ValueUnit least, Precision precision);

// Not finite for a number that no value in that unit gives.
double from_unit(int64_t number, ValueUnit unit);

}  // namespace warpsight
