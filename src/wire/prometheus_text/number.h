// Numbers as Prometheus and OpenMetrics write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/prometheus_text/digits.h"

namespace warpsight::prometheus_text {

// Reads the number that `at` begins with into `value`, correctly rounded, and returns its end; null
// when there is none or it is beyond what a double holds. Decimal digits with a fraction and an
// exponent, `Inf`, `Infinity` and `NaN` in any case, each with a sign. What is too small is zero.
// No hexadecimal, no underscores, no locale.
const char* read_number(const char* at, const char* end, double& value);

// The commonest value, a whole number of few digits that ends its line: the same answer sooner, or
// null for anything else.
inline const char* read_short_whole(const char* at, const char* end, double& value) {
  if (end - at <= 8) return nullptr;
  const uint64_t word = detail::eight_bytes(at);
  const unsigned count = detail::leading_digits(word);
  if (count == 0 || count == 8 || at[count] != '\n') return nullptr;
  value = static_cast<double>(static_cast<int64_t>(detail::value_of_first(word, count)));
  return at + count;
}

// read_number() for a text that is a number and nothing else.
bool parse_number(std::string_view text, double& value);

// Whether the text is a number by the grammar of both specifications, which know no sign of NaN.
bool is_strict_number(std::string_view text);

// Digits, fraction and exponent only: no infinities, no NaN.
bool is_real_number(std::string_view text);

// A whole number of milliseconds that fits.
bool parse_classic_timestamp(std::string_view text, int64_t& milliseconds);

// Finite seconds, rounded to a millisecond, clamped to what fits.
bool parse_open_metrics_timestamp(std::string_view text, int64_t& milliseconds);

}  // namespace warpsight::prometheus_text
