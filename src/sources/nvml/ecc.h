// Memory errors that ECC found, by kind, age and place.
#pragma once

#include <array>
#include <vector>

#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class Ecc {
 public:
  explicit Ecc(EntityId gpu);
  void read(Pass& pass);

 private:
  struct Count {
    Reading reading;
    EntityId entity;  // made when the driver turns out to have it
  };

  // False when the driver counts by place nowhere.
  bool read_places(Pass& pass);
  void read_totals(Pass& pass);
  void read_sram_threshold(Pass& pass);

  EntityId gpu_;
  bool by_place_ = true;
  std::vector<Count> counts_;
  std::array<EntityId, 4> totals_{};
  Reading errors_;
  Reading sram_threshold_;
};

}  // namespace warpsight::nvml
