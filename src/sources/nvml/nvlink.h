// NVLink: which links are up, what went through each, what went wrong; and the fabric behind it.
#pragma once

#include <array>
#include <vector>

#include "sources/nvml/fields.h"
#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class NvLink {
 public:
  NvLink(EntityTable& entities, EntityId gpu);
  void read(Pass& pass);

  // Whether the GPU has any link, up or not. Known after the first read().
  bool present() const { return !links_.empty(); }

 private:
  static constexpr size_t kErrorKinds = 4;

  struct Link {
    unsigned number;
    bool active;
    std::array<Reading, kErrorKinds> errors;
    std::array<EntityId, kErrorKinds> entities;
  };

  void find_links(Pass& pass);
  void read_state(Pass& pass);
  void choose_byte_fields(Pass& pass);
  void read_errors(Pass& pass, Link& link);
  void add_byte_fields(EntityTable& entities, unsigned transmit, unsigned receive, double scale,
                       bool per_link);

  EntityId gpu_;
  bool searched_ = false;
  std::vector<Link> links_;
  Reading active_;
  Reading io_;  // absence of byte counters as a whole
  FieldGroup bytes_;
};

class Fabric {
 public:
  explicit Fabric(EntityId gpu) : healthy_{{Metric::gpu_fabric_healthy, gpu}} {}
  void read(Pass& pass);

 private:
  unsigned version_ = abi::kFabricInfoV3;
  Reading healthy_;
};

// Whether the fabric of this GPU works, from the last report of the fabric manager.
bool fabric_is_healthy(const abi::FabricInfoV3& info);

}  // namespace warpsight::nvml
