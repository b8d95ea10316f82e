// Guesses the next number of a series from those before, and how far off the guess may be. Encoder
// and decoder each run one, over the same numbers, so nothing of it is written.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace warpsight {

// Signed numbers as unsigned ones, small if they are near zero.
inline uint64_t zigzag(int64_t n) {
  return (static_cast<uint64_t>(n) << 1) ^ static_cast<uint64_t>(n >> 63);
}
inline int64_t unzigzag(uint64_t u) { return static_cast<int64_t>((u >> 1) ^ (~(u & 1) + 1)); }

class Predictor {
 public:
  void begin(int64_t first) {
    *this = {};
    last_ = before_ = static_cast<uint64_t>(first);
  }

  // As it was, or moved as far as the last time, whichever has done better.
  int64_t next() const {
    return static_cast<int64_t>(steady_error_ <= moving_error_ ? last_ : moved());
  }

  // How many bits of a zigzagged difference are written as they are; what is above goes in unary.
  unsigned plain_bits() const {
    const uint64_t mean = sum_ / count_;
    return static_cast<unsigned>(std::bit_width(mean - (mean >> 2)));
  }

  void take(int64_t actual) {
    const auto now = static_cast<uint64_t>(actual);
    const uint64_t difference = error(now - static_cast<uint64_t>(next()));
    steady_error_ = steady_error_ / 2 + error(now - last_);
    moving_error_ = moving_error_ / 2 + error(now - moved());
    sum_ += difference;
    if (++count_ == kMemory) {
      count_ /= 2;
      sum_ /= 2;
    }
    before_ = last_;
    last_ = now;
  }

 private:
  static constexpr uint64_t kLargest = uint64_t{1} << 56;
  static constexpr uint64_t kMemory = 32;

  static uint64_t error(uint64_t difference) {
    return std::min(zigzag(static_cast<int64_t>(difference)), kLargest);
  }
  uint64_t moved() const { return last_ + (last_ - before_); }

  uint64_t last_ = 0;
  uint64_t before_ = 0;
  uint64_t steady_error_ = 0;
  uint64_t moving_error_ = 0;
  uint64_t sum_ = 8;
  uint64_t count_ = 2;
};

}  // namespace warpsight
