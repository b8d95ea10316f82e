#include "history/value_unit.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace warpsight {
namespace {

constexpr std::array<double, 6> kMultiples = {1048576, 1e6, 65536, 1024, 1e3, 1};
constexpr std::array<double, 6> kDecimals = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
constexpr ValueUnit kFirstDecimal = kMultiples.size();
constexpr ValueUnit kFirstBits = kFirstDecimal + kDecimals.size();
constexpr std::array<unsigned, 3> kDroppedBits = {39, 35, 0};  // of the 52 of a mantissa
static_assert(kFirstBits + kDroppedBits.size() == kUnits);

constexpr double kLargestWhole = 9007199254740992;  // 2^53
constexpr ValueUnit kLastShortDecimal = kFirstDecimal + 2;
constexpr uint64_t kSign = uint64_t{1} << 63;

bool is_whole(double value) {
  return std::fabs(value) < kLargestWhole && value == std::trunc(value);
}

Precision precision_of(ValueUnit unit) {
  constexpr std::array<Precision, 3> kBy = {Precision::coarse, Precision::fine, Precision::exact};
  return kBy[unit - kFirstBits];
}

// Sign and magnitude as one signed number, rounded to what is left of the mantissa.
int64_t bits_of(double value, unsigned dropped) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~kSign;
  const uint64_t half = dropped == 0 ? 0 : uint64_t{1} << (dropped - 1);
  auto kept = static_cast<int64_t>((magnitude + half) >> dropped);
  const double rounded = std::bit_cast<double>(static_cast<uint64_t>(kept) << dropped);
  if (!std::isfinite(rounded)) kept = static_cast<int64_t>(magnitude >> dropped);
  return (bits & kSign) != 0 ? -kept : kept;
}

double from_bits(int64_t number, unsigned dropped) {
  const uint64_t magnitude =
      number < 0 ? ~static_cast<uint64_t>(number) + 1 : static_cast<uint64_t>(number);
  if (magnitude > (~kSign >> dropped)) return std::numeric_limits<double>::quiet_NaN();
  const double value = std::bit_cast<double>(magnitude << dropped);
  return number < 0 ? -value : value;
}

}  // namespace

double from_unit(int64_t number, ValueUnit unit) {
  if (unit < kFirstDecimal) return static_cast<double>(number) * kMultiples[unit];
  if (unit < kFirstBits) return static_cast<double>(number) / kDecimals[unit - kFirstDecimal];
  return from_bits(number, kDroppedBits[unit - kFirstBits]);
}

std::optional<int64_t> in_unit(double value, ValueUnit unit, Precision precision) {
  if (unit >= kFirstBits) {
    if (precision_of(unit) != precision) return std::nullopt;
    const int64_t number = bits_of(value, kDroppedBits[unit - kFirstBits]);
    if (!is_whole(value)) return number;
    return from_unit(number, unit) == value ? std::optional(number) : std::nullopt;
  }
  if (precision != Precision::exact && unit > kLastShortDecimal) return std::nullopt;
  const double scaled =
      unit < kFirstDecimal ? value / kMultiples[unit] : value * kDecimals[unit - kFirstDecimal];
  if (!(std::fabs(scaled) < kLargestWhole)) return std::nullopt;
  const auto number = static_cast<int64_t>(std::nearbyint(scaled));
  return from_unit(number, unit) == value ? std::optional(number) : std::nullopt;
}

std::optional<ValueUnit> find_unit(double value, ValueUnit least, Precision precision) {
  for (ValueUnit unit = least; unit < kUnits; ++unit) {
    if (in_unit(value, unit, precision)) return unit;
  }
  return std::nullopt;
}

}  // namespace warpsight
