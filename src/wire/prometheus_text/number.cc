#include "wire/prometheus_text/number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {
namespace {

constexpr int kMantissaDigits = 19;  // that fit in 64 bits whatever they are
constexpr uint64_t kExactMantissa = uint64_t{1} << 53;
constexpr int kExactPower = 22;  // 10^22 is the last power of ten that is exact as a double
constexpr int64_t kExponentCeiling = 1'000'000'000;

constexpr std::array<double, kExactPower + 1> kPowers = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

constexpr auto kWholePowers = [] {
  std::array<uint64_t, 20> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

__extension__ using Wide = unsigned __int128;

struct Decimal {
  uint64_t mantissa = 0;
  int64_t exponent = 0;
  bool cut = false;  // digits that are not zero were left out of the mantissa
};

// Digits and maybe a point among them. Returns their end; null where there is no digit.
const char* read_mantissa(const char* at, const char* end, Decimal& number) {
  const char* point = read_digits(at, end, number.mantissa);
  const char* stop = point;
  int64_t digits = point - at;
  if (point < end && *point == '.') {
    stop = read_digits(point + 1, end, number.mantissa);
    number.exponent = point + 1 - stop;
    digits -= number.exponent;
  }
  number.cut = digits > kMantissaDigits;
  return digits > 0 ? stop : nullptr;
}

// The digits again, too many for a mantissa that is just accumulated: zeros in front do not count.
void cut_digits(const char* at, const char* end, Decimal& number) {
  number = {};
  int digits = 0;
  bool fraction = false;
  for (; at < end && (is_digit(*at) || *at == '.'); ++at) {
    if (*at == '.') {
      fraction = true;
    } else if (digits < kMantissaDigits) {
      number.mantissa = number.mantissa * 10 + static_cast<uint8_t>(*at - '0');
      digits += number.mantissa != 0 ? 1 : 0;
      number.exponent -= fraction ? 1 : 0;
    } else {
      number.cut |= *at != '0';
      number.exponent += fraction ? 0 : 1;
    }
  }
}

// The end, or null for an exponent without digits.
const char* read_exponent(const char* at, const char* end, Decimal& number) {
  ++at;
  const bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  if (at == end || !is_digit(*at)) return nullptr;
  int64_t exponent = 0;
  for (; at < end && is_digit(*at); ++at) {
    if (exponent < kExponentCeiling) exponent = exponent * 10 + (*at - '0');
  }
  number.exponent += negative ? -exponent : exponent;
  return at;
}

const char* read_decimal(const char* at, const char* end, Decimal& number) {
  const char* first = at;
  at = read_mantissa(at, end, number);
  if (at == nullptr) return nullptr;
  if (number.cut) cut_digits(first, at, number);
  if (at < end && (*at == 'e' || *at == 'E')) return read_exponent(at, end, number);
  return at;
}

bool is_word(const char* at, const char* end, std::string_view word) {
  if (static_cast<size_t>(end - at) < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if ((at[i] | 0x20) != word[i]) return false;
  }
  return true;
}

const char* read_word(const char* at, const char* end, double& value) {
  if (is_word(at, end, "nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
    return at + 3;
  }
  if (!is_word(at, end, "inf")) return nullptr;
  value = std::numeric_limits<double>::infinity();
  return at + (is_word(at, end, "infinity") ? 8 : 3);
}

// Two exact doubles multiplied or divided once are rounded once.
bool exact(const Decimal& number, double& value) {
  if (number.cut || number.mantissa > kExactMantissa) return false;
  value = static_cast<double>(number.mantissa);
  if (number.mantissa == 0 || number.exponent == 0) return true;
  if (number.exponent < -kExactPower || number.exponent > kExactPower) return false;
  if (number.exponent < 0) {
    value /= kPowers[static_cast<size_t>(-number.exponent)];
  } else {
    value *= kPowers[static_cast<size_t>(number.exponent)];
  }
  return true;
}

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52U);
}

// A mantissa over a power of ten, by one division of integers whose remainder tells how to round.
bool divided(const Decimal& number, double& value) {
  constexpr int kWholePower = 19;  // 10^19 is the last that fits in 64 bits
  if (number.cut || number.mantissa == 0) return false;
  if (number.exponent >= 0 || number.exponent < -kWholePower) return false;
  const uint64_t power = kWholePowers[static_cast<size_t>(-number.exponent)];
  const int mantissa_shift = std::countl_zero(number.mantissa);
  const int power_shift = std::countl_zero(power);
  const uint64_t mantissa = number.mantissa << static_cast<unsigned>(mantissa_shift);
  const uint64_t divisor = power << static_cast<unsigned>(power_shift);
  // Both have their highest bit set, so 63 bits more of the quotient than the whole part has make
  // 63 or 64 in all.
  const Wide dividend = Wide{mantissa} << 63U;
  const auto quotient = static_cast<uint64_t>(dividend / divisor);
  const bool inexact = Wide{quotient} * divisor != dividend;
  // A last bit that stands for all that is left out leaves the conversion one rounding to do.
  value = static_cast<double>(quotient | static_cast<uint64_t>(inexact)) *
          power_of_two(power_shift - mantissa_shift - 63);
  return true;
}

}  // namespace

const char* read_number(const char* at, const char* end, double& value) {
  if (at == end) return nullptr;
  const bool negative = *at == '-';
  if (negative || *at == '+') ++at;
  if (at == end) return nullptr;
  const char* last = nullptr;
  if (is_digit(*at) || *at == '.') {
    Decimal number;
    last = read_decimal(at, end, number);
    if (last == nullptr) return nullptr;
    if (!exact(number, value) && !divided(number, value)) {
      const std::from_chars_result result = std::from_chars(at, last, value);
      if (result.ec == std::errc::result_out_of_range) {
        if (number.exponent > 0) return nullptr;
        value = 0;
      }
    }
  } else {
    last = read_word(at, end, value);
    if (last == nullptr) return nullptr;
  }
  if (negative) value = -value;
  return last;
}

bool parse_number(std::string_view text, double& value) {
  const char* first = text.data();
  const char* end = first + text.size();
  return !text.empty() && read_number(first, end, value) == end;
}

bool is_real_number(std::string_view text) {
  double value = 0;
  return parse_number(text, value) && std::isfinite(value);
}

bool is_strict_number(std::string_view text) {
  double value = 0;
  if (!parse_number(text, value)) return false;
  return !std::isnan(value) || (text[0] != '+' && text[0] != '-');
}

bool parse_classic_timestamp(std::string_view text, int64_t& milliseconds) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const char* first = text.data();
  const char* end = first + text.size();
  const std::from_chars_result result = std::from_chars(first, end, milliseconds);
  return result.ec == std::errc{} && result.ptr == end;
}

bool parse_open_metrics_timestamp(std::string_view text, int64_t& milliseconds) {
  double seconds = 0;
  if (!parse_number(text, seconds) || !std::isfinite(seconds)) return false;
  constexpr double kLimit = 9.2e18;  // just inside 64 bits
  const double rounded = std::round(seconds * 1e3);
  if (rounded >= kLimit) {
    milliseconds = std::numeric_limits<int64_t>::max();
  } else if (rounded <= -kLimit) {
    milliseconds = std::numeric_limits<int64_t>::min();
  } else {
    milliseconds = static_cast<int64_t>(rounded);
  }
  return true;
}

}  // namespace warpsight::prometheus_text
