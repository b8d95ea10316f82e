#include "net/foreign_text.h"

#include "wire/utf8.h"

namespace warpsight {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  // U+0080 to U+009F.
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string printable_beginning(std::string_view text, size_t limit) {
  std::string out;
  bool space = false;
  for (size_t count = 0; !text.empty();) {
    if (is_space(text.front())) {
      space = !out.empty();
      text.remove_prefix(1);
      continue;
    }
    count += space ? 2 : 1;
    if (count > limit) return out + "...";
    if (space) out += ' ';
    space = false;
    const Utf8Part part = next_utf8(text);
    const std::string_view character = text.substr(0, part.size);
    if (part.valid && !is_control(character)) {
      out += character;
    } else {
      out += '?';
    }
    text.remove_prefix(part.size);
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    const bool escape = text[at] == '%' && at + 2 < text.size();
    const int high = escape ? hex_digit(text[at + 1]) : -1;
    const int low = escape ? hex_digit(text[at + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[at];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return out;
}

}  // namespace warpsight
