// How long to leave a peer alone that did not take a message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "core/clock.h"

namespace warpsight {

// Doubles from `first` to `longest`, each wait drawn from the upper half of its range, so that the
// agents of a cluster do not come back all at once.
class RetryDelay {
 public:
  static constexpr Duration kLongestAsked = std::chrono::hours{1};

  RetryDelay(Duration first, Duration longest, uint32_t seed)
      : first_(std::min(first, longest)), longest_(longest), random_(seed) {}

  // After one more failure; never less than the peer asked for, within reason.
  Duration next(Duration asked = Duration::zero()) {
    const Duration upper = first_ > longest_ / 2 || failures_ >= kMostDoublings
                               ? longest_
                               : std::min(longest_, first_ * (int64_t{2} << failures_));
    const Duration lower = std::max(first_, upper / 2);
    ++failures_;
    std::uniform_int_distribution<int64_t> pick(lower.count(), upper.count());
    return std::max(Duration{pick(random_)}, std::min(asked, kLongestAsked));
  }

  void succeeded() { failures_ = 0; }

 private:
  static constexpr int kMostDoublings = 20;

  Duration first_;
  Duration longest_;
  int failures_ = 0;
  std::minstd_rand random_;
};

}  // namespace warpsight
