// The labels of a sample, one by one, and what their escapes stand for.
#pragma once

#include <string>
#include <string_view>

#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {

struct LabelView {
  std::string_view name;   // as written, without quotes
  std::string_view value;  // as written between its quotes: see unescape()
};

// The text that was escaped: `\\`, `\"` and `\n`; any other backslash stands for itself. Returns
// `text` where there is nothing to do, else a view of `scratch`.
std::string_view unescape(std::string_view text, std::string& scratch);

// Calls `fn` with each label of SampleView::labels, in the order of the page. A quoted metric name
// among them is left out.
template <typename Fn>
void for_each_label(std::string_view labels, Fn&& fn) {
  const char* at = labels.data();
  const char* end = at + labels.size();
  const auto tell = [&](const char* name, const char* name_end, const char* value, const char* to) {
    fn(LabelView{{name, static_cast<size_t>(name_end - name)},
                 {value, static_cast<size_t>(to - value)}});
  };
  while (at < end) {
    if (*at == ',' || is_blank(*at)) {
      ++at;
      continue;
    }
    // A bare name without blanks behind it: what was checked already is told by the quotes alone.
    const char* open = find_string_byte(at, end);
    if (open - at >= 2 && open < end && open[-1] == '=' && !is_blank(open[-2])) {
      const char* close = string_end(open + 1, end);
      if (close == nullptr) return;
      tell(at, open - 1, open + 1, close);
      at = close + 1;
      continue;
    }
    const bool quoted = *at == '"';
    const char* first = quoted ? at + 1 : at;
    const char* last = quoted ? string_end(first, end) : label_name_end(first, end);
    if (last == nullptr) return;
    at = skip_blanks(quoted ? last + 1 : last, end);
    if (at == end || *at != '=') {
      if (quoted) continue;
      return;
    }
    at = skip_blanks(at + 1, end);
    if (at == end) return;
    const char* value = at + 1;
    const char* close = string_end(value, end);
    if (close == nullptr) return;
    tell(first, last, value, close);
    at = close + 1;
  }
}

}  // namespace warpsight::prometheus_text
