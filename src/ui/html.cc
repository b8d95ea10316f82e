#include "ui/html.h"

#include "wire/utf8.h"

namespace warpsight {

void append_html(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Part part = next_utf8(text.substr(at));
    switch (text[at]) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out.append(part.valid ? text.substr(at, part.size) : kUtf8Replacement);
    }
    at += part.size;
  }
}

}  // namespace warpsight
