// Characters as terminals show them.
#pragma once

#include <string>
#include <string_view>

namespace warpsight::top {

// Broken bytes are U+FFFD.
std::u32string decode(std::string_view text);
void append_utf8(std::string& out, char32_t glyph);

// The ASCII character that looks most like `glyph`, "?" for letters of other scripts.
char32_t ascii_for(char32_t glyph);

}  // namespace warpsight::top
