#include "wire/prometheus_text/labels.h"

#include <algorithm>

namespace warpsight::prometheus_text {

std::string_view unescape(std::string_view text, std::string& scratch) {
  size_t slash = text.find('\\');
  if (slash == std::string_view::npos) return text;
  scratch.clear();
  for (size_t from = 0;;) {
    scratch.append(text, from, slash - from);
    if (slash == text.size()) return scratch;
    const char next = slash + 1 < text.size() ? text[slash + 1] : '\0';
    const bool known = next == '\\' || next == '"' || next == 'n';
    scratch += !known ? '\\' : next == 'n' ? '\n' : next;
    from = slash + (known ? 2 : 1);
    slash = std::min(text.find('\\', from), text.size());
  }
}

}  // namespace warpsight::prometheus_text
