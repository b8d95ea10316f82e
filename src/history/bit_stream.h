// Bits one behind the other, the highest of a number first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

class BitWriter {
 public:
  // The lowest `bits` of `value`; 64 at most.
  void put(uint64_t value, unsigned bits) {
    while (bits > 0) {
      const unsigned take = std::min(bits, 8 - filled_);
      bits -= take;
      const auto part = static_cast<uint8_t>((value >> bits) & ((1U << take) - 1U));
      open_ = static_cast<uint8_t>(open_ | (part << (8 - filled_ - take)));
      filled_ += take;
      if (filled_ < 8) return;
      bytes_.push_back(static_cast<char>(open_));
      open_ = 0;
      filled_ = 0;
    }
  }
  // Of 1 or more; small numbers are short.
  void put_gamma(uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    put(0, width - 1);
    put(value, width);
  }

  // What was put so far, filled up to a whole byte.
  void append_to(std::string& out) const {
    out += bytes_;
    if (filled_ > 0) out.push_back(static_cast<char>(open_));
  }
  size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  uint8_t open_ = 0;
  unsigned filled_ = 0;
};

// Reads zeros beyond the end, and says so.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t get(unsigned bits) {
    uint64_t value = 0;
    while (bits > 0) {
      if (next_ == bytes_.size()) {
        failed_ = true;
        return 0;
      }
      const unsigned take = std::min(bits, 8 - used_);
      const auto byte = static_cast<uint8_t>(bytes_[next_]);
      const unsigned part = (byte >> (8 - used_ - take)) & ((1U << take) - 1U);
      value = (value << take) | part;
      bits -= take;
      used_ += take;
      if (used_ == 8) {
        used_ = 0;
        ++next_;
      }
    }
    return value;
  }
  // How many ones stand before the next zero, which is read too; `most` end it without one.
  unsigned get_ones(unsigned most) {
    unsigned ones = 0;
    while (ones < most && get(1) == 1) ++ones;
    return ones;
  }
  uint64_t get_gamma() {
    unsigned zeros = 0;
    while (!failed_ && get(1) == 0) {
      if (++zeros == 64) failed_ = true;
    }
    return failed_ ? 0 : (uint64_t{1} << zeros) | get(zeros);
  }
  bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  size_t next_ = 0;
  unsigned used_ = 0;
  bool failed_ = false;
};

}  // namespace warpsight
