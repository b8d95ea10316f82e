// The PCIe link: speed, width, bytes, retransmissions.
#pragma once

#include <array>

#include "sources/nvml/fields.h"
#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class Pcie {
 public:
  Pcie(EntityTable& entities, EntityId gpu);

  void read(Pass& pass);
  // What the link could do at best.
  void read_limits(Pass& pass);

 private:
  Reading generation_;
  Reading width_;
  Reading replays_;
  Reading max_generation_;
  Reading max_width_;
  FieldGroup bytes_;
};

}  // namespace warpsight::nvml
