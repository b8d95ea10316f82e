// Why the clocks are held down now, how often that began, and for how long in all.
#pragma once

#include <array>
#include <vector>

#include "sources/nvml/fields.h"
#include "sources/nvml/pass.h"
#include "sources/nvml/throttle_causes.h"

namespace warpsight::nvml {

class ThrottleReasons {
 public:
  ThrottleReasons(EntityTable& entities, EntityId gpu);
  void read(Pass& pass);

 private:
  struct Cause {
    ThrottleCause what;
    EntityId entity;
    uint64_t events = 0;
    bool active = false;
  };

  bool read_mask(Pass& pass, unsigned long long& mask);
  void read_supported(Pass& pass);
  void name_new_bits(Pass& pass, unsigned long long mask);

  EntityId gpu_;
  bool has_event_reasons_ = true;  // else the call has its older name
  bool first_ = true;
  bool told_ = false;
  unsigned long long supported_ = ~0ULL;
  unsigned long long named_ = abi::clocks_event::kGpuIdle;
  Reading mask_;
  std::vector<Cause> causes_;
};

class ThrottleTime {
 public:
  ThrottleTime(EntityTable& entities, EntityId gpu);
  void read(Pass& pass);

 private:
  std::array<Reading, kThrottleCounters.size()> readings_;
  FieldGroup fields_;
};

}  // namespace warpsight::nvml
