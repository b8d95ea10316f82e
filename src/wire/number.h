// Numbers as text, for pages and lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

// Room for any double or 64-bit integer as text.
inline constexpr int kNumberChars = 32;

// Writes the shortest text that reads back as `value`; whole numbers below 2^53 have no exponent.
// Returns the end. `value` must be finite.
char* write_number(char* first, double value);

void append_number(std::string& out, double value);
void append_integer(std::string& out, std::int64_t value);

}  // namespace warpsight
