// The GPUs and MIG instances of this node, and who they are when somebody else names them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/entity.h"
#include "core/ownership.h"

namespace warpsight::identity {

struct Device {
  EntityId entity;
  EntityId gpu;  // itself, or the GPU that a MIG instance is a part of
  bool is_mig = false;
  bool divided = false;  // a GPU with MIG instances: these have owners, not it
  std::string uuid;
  std::string index;
  std::string minor;
  std::string pci;
  std::string vendor;
  int gpu_instance = -1;
  int compute_instance = -1;
};

class Devices {
 public:
  Devices() = default;
  explicit Devices(const EntityTable& entities);

  // GPUs by index, each before its instances.
  std::span<const Device> all() const { return devices_; }

  // Place in all(); all().size() when there is none.
  size_t find(EntityId entity) const;

  // Appends the places of those that are meant: for a divided GPU, all its instances.
  void resolve(const DeviceName& name, std::vector<size_t>& out) const;

 private:
  std::vector<Device> devices_;
};

}  // namespace warpsight::identity
