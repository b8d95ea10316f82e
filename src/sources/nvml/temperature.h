// Temperatures, and how far they may rise.
//
// Two kinds of limit, never mixed. Older parts have absolute limits (slowdown at 87 °C). Newer
// ones have a T.Limit scale that counts down to 0 as the die gets hotter:
//   - each threshold is the T.Limit at which something happens, 0 or a few degrees below. It is
//     never a temperature. The distance to it, current T.Limit less threshold, is published as
//     gpu.temperature.margin: on an H200 at 57 °C, T.Limit 29 and a slowdown threshold of -2 are
//     31 degrees left, and the absolute limit of 89 °C agrees;
//   - without thresholds the current T.Limit is itself the distance to the nearest slowdown.
// The memory's T.Limit threshold refers to a scale whose current value NVML does not give.
#pragma once

#include <array>

#include "sources/nvml/fields.h"
#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class Temperature {
 public:
  Temperature(EntityTable& entities, EntityId gpu);

  void read_die(Pass& pass);
  // Memory's sensor and the margins: answered by firmware, so asked more rarely.
  void read_margins(Pass& pass);
  // Limits and thresholds, which hardly change.
  void read_limits(Pass& pass);

 private:
  struct Limit {
    abi::TemperatureThreshold threshold;
    Reading reading;
  };

  bool has_versioned_call_ = true;
  Reading die_;
  FieldGroup memory_;
  Reading margin_;
  FieldGroup thresholds_;
  std::array<Limit, 3> limits_;
};

}  // namespace warpsight::nvml
