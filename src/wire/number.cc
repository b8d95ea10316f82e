#include "wire/number.h"

#include <charconv>

namespace warpsight {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

}  // namespace

char* write_number(char* first, double value) {
  char* const last = first + kNumberChars;
  if (value > -kExactIntegers && value < kExactIntegers) {
    const auto whole = static_cast<std::int64_t>(value);
    // Most samples are whole, and printing an integer costs a fraction of printing a double. This
    // also turns -0 into 0.
    if (static_cast<double>(whole) == value) return std::to_chars(first, last, whole).ptr;
  }
  return std::to_chars(first, last, value).ptr;
}

void append_number(std::string& out, double value) {
  char text[kNumberChars];
  out.append(text, write_number(text, value));
}

void append_integer(std::string& out, std::int64_t value) {
  char text[kNumberChars];
  out.append(text, std::to_chars(text, text + kNumberChars, value).ptr);
}

}  // namespace warpsight
