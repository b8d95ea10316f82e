// Ids that device plugins and CDI give to GPUs, read as names of devices.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/ownership.h"
#include "core/result.h"
#include "runtime/options.h"

namespace warpsight::kubernetes {

class DeviceIds {
 public:
  DeviceIds() = default;

  // `resources` are names besides the vendors' own, and whose GPUs they stand for:
  // "example.com/h100" and "nvidia".
  static Result<DeviceIds> make(const Options::Map& resources);

  // Whose devices a resource stands for: "nvidia.com/gpu.shared" is "nvidia"; empty when they are
  // no GPUs, as far as its name tells.
  std::string_view vendor(std::string_view resource) const;

  // The device that an id of a resource names; the number of a share (time-slicing, MPS) is left
  // out. Nothing when the id is of no form that is known to name a GPU: none is guessed.
  std::optional<DeviceName> device(std::string_view resource, std::string_view id) const;

 private:
  std::map<std::string, std::string, std::less<>> own_;
};

// The device of a CDI name: "nvidia.com/gpu=0", "management.nvidia.com/gpu=GPU-...".
std::optional<DeviceName> device_of_cdi(std::string_view name);

}  // namespace warpsight::kubernetes
