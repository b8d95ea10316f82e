// When each class of readings of one GPU is due. Classes are made by what the calls cost the
// driver; the dear ones of different GPUs are spread over the ticks.
#pragma once

#include <array>
#include <cstddef>

#include "core/clock.h"

namespace warpsight::nvml {

enum class CostClass : size_t {
  tick,                 // cached by the driver: microseconds
  power_samples,        // the buffer holds 2.4 s
  utilization_samples,  // the buffer holds 14 s
  processes,
  round_trip,  // answered by the GPU's firmware
  energy,      // milliseconds
  facts,       // what hardly changes
  count,
};

class Schedule {
 public:
  // `slot` tells GPUs apart for the spreading. Everything is due at first.
  Schedule(Duration tick, size_t slot) : tick_(tick), slot_(slot) {}

  // How often the class is read: its own period, or the tick where that is longer.
  Duration period(CostClass which) const;

  // Whether it is due now; if so it counts as done. A tick that comes a little early will do.
  bool take(CostClass which, SteadyTime now);

 private:
  struct Due {
    SteadyTime next{};
    bool started = false;
  };

  Duration first_wait(CostClass which) const;

  Duration tick_;
  size_t slot_;
  std::array<Due, static_cast<size_t>(CostClass::count)> due_{};
};

}  // namespace warpsight::nvml
