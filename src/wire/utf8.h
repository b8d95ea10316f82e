// Whether bytes from elsewhere are UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpsight {

inline constexpr std::string_view kUtf8Replacement = "\xef\xbf\xbd";  // U+FFFD

struct Utf8Part {
  size_t size;  // bytes, at least 1
  bool valid;   // one whole character; else the longest part that cannot begin one
};

// The first character of `text`, which must not be empty. Overlong forms, surrogates and code
// points above U+10FFFF are not valid.
Utf8Part next_utf8(std::string_view text);

}  // namespace warpsight
