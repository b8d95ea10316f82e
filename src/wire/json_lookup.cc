#include "wire/json_lookup.h"

#include <algorithm>

namespace warpsight {
namespace {

constexpr int kMaxDepth = 32;

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Tolerant: takes what is JSON, and of what is not says nothing.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  std::optional<std::string> find(std::span<const std::string_view> way) {
    if (way.empty()) return peek() == '"' ? string() : std::nullopt;
    if (peek() == '{') return find_in_object(way);
    if (peek() == '[' && way.front() == "0") {
      ++at_;
      return find(way.subspan(1));
    }
    return std::nullopt;
  }

 private:
  char peek() {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool eat(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::optional<std::string> find_in_object(std::span<const std::string_view> way) {
    ++at_;
    while (peek() == '"') {
      const auto key = string();
      if (!key || !eat(':')) return std::nullopt;
      if (*key == way.front()) return find(way.subspan(1));
      if (!skip() || !eat(',')) return std::nullopt;
    }
    return std::nullopt;
  }

  // Escapes other than those of quotes, slashes and white space become "?": names have none.
  std::optional<std::string> string() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c != '\\') {
        out += c;
        continue;
      }
      if (++at_ >= text_.size()) break;
      const char escaped = text_[at_];
      if (escaped == '"' || escaped == '\\' || escaped == '/') {
        out += escaped;
      } else {
        out += escaped == 'n' || escaped == 't' || escaped == 'r' ? ' ' : '?';
        if (escaped == 'u') at_ = std::min(at_ + 4, text_.size());
      }
    }
    return std::nullopt;
  }

  // Moves behind one value.
  bool skip() {
    int depth = 0;
    do {
      switch (peek()) {
        case '\0': return false;
        case '"':
          if (!string()) return false;
          break;
        case '{':
        case '[':
          if (++depth > kMaxDepth) return false;
          ++at_;
          break;
        case '}':
        case ']':
          if (--depth < 0) return false;
          ++at_;
          break;
        case ',':
        case ':':
          if (depth == 0) return false;
          ++at_;
          break;
        default:
          while (at_ < text_.size() && !is_json_space(text_[at_]) &&
                 std::string_view(",:{}[]\"").find(text_[at_]) == std::string_view::npos) {
            ++at_;
          }
      }
    } while (depth > 0);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::string> json_string(std::string_view json,
                                       std::span<const std::string_view> way) {
  return JsonCursor(json).find(way);
}

}  // namespace warpsight
