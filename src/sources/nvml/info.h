// What a GPU is: versions, addresses and modes, as the attributes of one series whose value is 1.
#pragma once

#include <string>
#include <string_view>

#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class Info {
 public:
  // `pci` and `numa_node` come from sysfs where that knows them; either may be empty.
  Info(EntityId gpu, std::string_view pci, std::string_view numa_node);

  void read(Pass& pass);
  // Every tick, as the sign that the GPU answers: it counts as seen while this is fresh.
  void say(Batch& out) const;
  // For a GPU that may not be woken: its address and that it sleeps.
  void add_suspended(const SourceContext& context, Batch& out);
  void retire(Batch& out);

 private:
  void become(EntityTable& entities, std::span<const AttributeView> attributes, Batch& out);

  EntityId gpu_;
  std::string pci_;
  std::string numa_node_;
  EntityId entity_;
};

std::string_view architecture_name(unsigned architecture);

}  // namespace warpsight::nvml
