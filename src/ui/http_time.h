// Durations as libevent takes them.
#pragma once

#include <sys/time.h>

#include "core/clock.h"

namespace warpsight {

inline timeval to_timeval(Duration duration) {
  const auto us = std::chrono::ceil<std::chrono::microseconds>(duration).count();
  return {us / 1'000'000, us % 1'000'000};
}

}  // namespace warpsight
