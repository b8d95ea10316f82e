// How many GPUs there should be, are, and are missing, by vendor.
#pragma once

#include <map>
#include <string>

#include "core/registry.h"

namespace warpsight {

// A GPU is seen while its gpu.info is fresh. What the bus or the configuration expects beyond
// those is lost.
class Devices final : public Analysis {
 public:
  explicit Devices(EntityTable& entities) : entities_(entities) {}
  void run(const View& view, Batch& out) override;

 private:
  struct Count {
    int expected = 0;
    int seen = 0;
    EntityId seen_entity;
    EntityId lost_entity;
  };

  Count& of(const std::string& vendor);

  EntityTable& entities_;
  std::map<std::string, Count> counts_;
};

}  // namespace warpsight
