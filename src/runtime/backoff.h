// Growing delays between attempts at something that keeps failing.
#pragma once

#include <algorithm>

#include "core/clock.h"

namespace warpsight {

// The first retry is immediate, later ones wait 1, 2, 4... times `step`, up to `longest`. A spell
// of success as long as `longest` forgives everything.
class Backoff {
 public:
  constexpr Backoff(Duration step, Duration longest) : step_(step), longest_(longest) {}

  // How long to wait before the next attempt, after one failed at `now`.
  Duration failed(SteadyTime now) {
    if (failures_ > 0 && now - last_failure_ > longest_ + delay()) failures_ = 0;
    last_failure_ = now;
    const Duration wait = delay();
    ++failures_;
    return wait;
  }

  int failures() const { return failures_; }

 private:
  Duration delay() const {
    if (failures_ == 0) return Duration::zero();
    return std::min(longest_, step_ * (int64_t{1} << std::min(failures_ - 1, 30)));
  }

  Duration step_;
  Duration longest_;
  int failures_ = 0;
  SteadyTime last_failure_{};
};

}  // namespace warpsight
