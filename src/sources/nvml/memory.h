// Device memory of a GPU or a MIG instance, and the PCIe aperture into it.
#pragma once

#include <optional>
#include <string>

#include "platform/file.h"
#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class DeviceMemory {
 public:
  explicit DeviceMemory(EntityId owner);

  // `device` is the GPU's handle or the MIG instance's.
  void read(Pass& pass, abi::Device device);

 private:
  void read_with_reservation(Pass& pass, abi::Device device);
  void read_old_way(Pass& pass, abi::Device device);

  bool has_v2_ = true;
  Reading usage_;
  Reading reserved_;
};

class Bar1 {
 public:
  explicit Bar1(EntityId gpu) : used_{{Metric::gpu_memory_bar1_used, gpu}} {}
  void read(Pass& pass);

 private:
  Reading used_;
};

// Memory of parts whose GPU is a NUMA node of the host (GH200 and alike), as the kernel counts it.
class UnifiedMemory {
 public:
  explicit UnifiedMemory(EntityId gpu);
  void read(Pass& pass);

 private:
  Reading node_;
  std::optional<FileReader> meminfo_;
  std::string buffer_;
};

// Total and used bytes of a node's meminfo, used being what is not free. Nothing when the text
// has no such lines.
struct NodeMemory {
  double total;
  double used;
};
std::optional<NodeMemory> parse_node_meminfo(std::string_view text);

}  // namespace warpsight::nvml
