#include "wire/otlp/json_cursor.h"

#include <algorithm>
#include <charconv>

#include "wire/utf8.h"

namespace warpsight::otlp {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

void append_utf8(std::string& out, uint32_t point) {
  const auto byte = [&](uint32_t bits) { out += static_cast<char>(bits); };
  const auto more = [&](uint32_t bits) { byte(0x80 | (bits & 0x3f)); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xc0 | point >> 6);
    more(point);
  } else if (point < 0x10000) {
    byte(0xe0 | point >> 12);
    more(point >> 6);
    more(point);
  } else {
    byte(0xf0 | point >> 18);
    more(point >> 12);
    more(point >> 6);
    more(point);
  }
}

bool is_high(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

}  // namespace

void JsonCursor::blanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
}

bool JsonCursor::take(char wanted) {
  blanks();
  if (!rest_.starts_with(wanted)) return false;
  rest_.remove_prefix(1);
  return true;
}

bool JsonCursor::literal(std::string_view word) {
  if (!rest_.starts_with(word)) return false;
  rest_.remove_prefix(word.size());
  return true;
}

bool JsonCursor::null() {
  blanks();
  return literal("null");
}

bool JsonCursor::at_end() {
  blanks();
  return rest_.empty();
}

std::optional<uint32_t> JsonCursor::code_unit() {
  uint32_t unit = 0;
  const std::string_view digits = rest_.substr(0, 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (digits.size() < 4 || error != std::errc{} || end != digits.data() + 4) return std::nullopt;
  rest_.remove_prefix(4);
  return unit;
}

bool JsonCursor::escape(std::string& out) {
  if (rest_.empty()) return false;
  const char c = rest_.front();
  rest_.remove_prefix(1);
  switch (c) {
    case '"':
    case '\\':
    case '/': out += c; return true;
    case 'b': out += '\b'; return true;
    case 'f': out += '\f'; return true;
    case 'n': out += '\n'; return true;
    case 'r': out += '\r'; return true;
    case 't': out += '\t'; return true;
    case 'u': break;
    default: return false;
  }
  const auto unit = code_unit();
  if (!unit) return false;
  if (is_high(*unit)) {
    const std::string_view before = rest_;
    const auto low = literal("\\u") ? code_unit() : std::nullopt;
    if (low && is_low(*low)) {
      append_utf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
      return true;
    }
    rest_ = before;
  }
  if (is_high(*unit) || is_low(*unit)) {
    out += kUtf8Replacement;
  } else {
    append_utf8(out, *unit);
  }
  return true;
}

bool JsonCursor::text(std::string& out) {
  out.clear();
  if (!take('"')) return false;
  for (;;) {
    const size_t end = rest_.find_first_of("\"\\");
    if (end == std::string_view::npos) return false;
    out += rest_.substr(0, end);
    const bool closed = rest_[end] == '"';
    rest_.remove_prefix(end + 1);
    if (closed) return true;
    if (!escape(out)) return false;
  }
}

std::string_view JsonCursor::scalar() {
  const std::string_view word = rest_.substr(0, rest_.find_first_of(",]} \t\r\n"));
  rest_.remove_prefix(word.size());
  return word;
}

std::optional<int64_t> JsonCursor::integer() {
  blanks();
  std::string quoted;
  const bool is_text = rest_.starts_with('"');
  if (is_text && !text(quoted)) return std::nullopt;
  const std::string_view digits = is_text ? std::string_view(quoted) : scalar();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool JsonCursor::skip() {
  blanks();
  if (take('[')) {
    if (++depth_ > kDepth) return false;
    for (bool first = true; !take(']'); first = false) {
      if ((!first && !take(',')) || !skip()) return false;
    }
    --depth_;
    return true;
  }
  if (rest_.starts_with('{')) return object([this](std::string_view) { return skip(); });
  std::string ignored;
  if (rest_.starts_with('"')) return text(ignored);
  return !scalar().empty();
}

}  // namespace warpsight::otlp
