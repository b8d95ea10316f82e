// Current clocks.
#pragma once

#include <array>

#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class Clocks {
 public:
  Clocks(EntityTable& entities, EntityId gpu);
  void read(Pass& pass);

 private:
  struct Domain {
    abi::ClockType type;
    Reading reading;
  };
  std::array<Domain, 4> domains_;
};

}  // namespace warpsight::nvml
