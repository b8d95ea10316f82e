// Text for HTML documents.
#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// Escaped for content and for quoted attributes; bytes that are not UTF-8 are replaced.
void append_html(std::string& out, std::string_view text);

}  // namespace warpsight
