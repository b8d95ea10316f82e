// Where the steps of an answer lie: each begins at a multiple of the step.
#pragma once

#include <cstddef>

#include "core/clock.h"

namespace warpsight {

struct StepGrid {
  StepGrid(Time from, Time to, Duration length)
      : first(from - (from.time_since_epoch() % length)),
        step(length),
        steps(static_cast<size_t>((to - first + length - Duration{1}) / length)) {}

  Time end() const { return first + step * static_cast<Duration::rep>(steps); }

  Time first;
  Duration step;
  size_t steps;
};

}  // namespace warpsight
