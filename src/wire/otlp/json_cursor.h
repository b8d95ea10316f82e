// Reads JSON of which only a few members matter. The text may be anybody's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsight::otlp {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : rest_(text) {}

  // Calls fn(key) for each member of the object that comes next. fn reads the member's value, or
  // leaves it, and returns false to give up. False when there is no whole object.
  template <typename Fn>
  bool object(Fn&& fn) {
    if (!take('{') || ++depth_ > kDepth) return false;
    std::string key;
    for (bool first = true; !take('}'); first = false) {
      if ((!first && !take(',')) || !text(key) || !take(':') || !fn(std::string_view(key))) {
        return false;
      }
    }
    --depth_;
    return true;
  }

  // Replaces `out`. An escaped surrogate without its other half becomes U+FFFD.
  bool text(std::string& out);
  // A whole number, or a string that holds one, as protobuf writes 64-bit integers.
  std::optional<int64_t> integer();
  bool skip();
  // Takes `null` where it comes next; protobuf's word for nothing said.
  bool null();
  // Nothing but blanks is left.
  bool at_end();

 private:
  static constexpr int kDepth = 32;

  void blanks();
  bool take(char wanted);
  bool literal(std::string_view word);
  bool escape(std::string& out);
  std::optional<uint32_t> code_unit();
  std::string_view scalar();

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace warpsight::otlp
