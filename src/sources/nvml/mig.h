// MIG: the instances a GPU is cut into, each an entity of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sources/nvml/gpm.h"
#include "sources/nvml/memory.h"
#include "sources/nvml/pass.h"
#include "sources/nvml/processes.h"

namespace warpsight::nvml {

class Mig {
 public:
  Mig(EntityId gpu, std::string_view gpu_uuid, bool with_gpm);

  // Looks for instances that came or went. A driver round trip and more.
  void refresh(Pass& pass);
  bool enabled() const { return enabled_; }

  void read_memory(Pass& pass);
  void read_activity(Pass& pass);
  void read_processes(Pass& pass);

  void retire(Batch& out);

 private:
  struct Instance {
    abi::Device handle;
    unsigned gpu_instance;
    std::string uuid;
    EntityId entity;
    bool seen;
    DeviceMemory memory;
    ProcessList processes;
    std::unique_ptr<Gpm> gpm;  // only the first compute instance of a GPU instance has it
  };

  void find_instances(Pass& pass);
  void meet(Pass& pass, abi::Device handle);
  EntityId make_entity(Pass& pass, abi::Device handle, unsigned gpu_instance,
                       std::string_view uuid);

  EntityId gpu_;
  std::string gpu_uuid_;
  bool with_gpm_;
  bool enabled_ = false;
  Reading mode_;
  std::vector<Instance> instances_;
};

// "1g.10gb" out of "NVIDIA H100 80GB HBM3 MIG 1g.10gb"; empty when the name has none.
std::string_view mig_profile_in(std::string_view device_name);

}  // namespace warpsight::nvml
