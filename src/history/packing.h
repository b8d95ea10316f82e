// Bytes of the history's own records: numbers of varying length and strings behind their length.
// The reader trusts nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {

void pack_number(std::string& out, uint64_t number);
void pack_text(std::string& out, std::string_view text);

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  // Zero, and nothing, once there is not enough left; failed() says so.
  uint64_t number();
  std::string_view text();
  // A count of things that take at least a byte each: never more than there are bytes left.
  size_t count();

  bool failed() const { return failed_; }
  bool done() const { return failed_ || rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// Rising times, which are nearly the same distance apart.
void pack_times(std::string& out, const std::vector<int64_t>& times);
// Replaces `out`; false when they do not rise or are more than `most`.
bool unpack_times(Unpacker& in, size_t most, std::vector<int64_t>& out);

}  // namespace warpsight
