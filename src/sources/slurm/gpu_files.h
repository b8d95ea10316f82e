// Which GPU, or which part of one, a device file stands for.
#pragma once

#include <string>
#include <string_view>

#include "core/ownership.h"
#include "core/result.h"
#include "sources/slurm/gres_conf.h"

namespace warpsight::slurm {

// By the number of the device below `root`, else by the digits of the file's name. Several files
// are those of a MIG instance: of its GPU, and of the capabilities that the driver lists under
// /proc/driver/nvidia-caps. Fails on what is no NVIDIA GPU and on an instance that is not there.
Result<DeviceName> device_of(const GpuFiles& gpu, std::string_view root);

// The place of a capability in the lines "gpu0/gi1/ci0/access 13" of mig-minors. A part that the
// line does not have is -1.
struct MigPlace {
  int gpu_minor = -1;
  int gpu_instance = -1;
  int compute_instance = -1;

  friend bool operator==(const MigPlace&, const MigPlace&) = default;
};
MigPlace find_mig_capability(std::string_view mig_minors, unsigned capability);

}  // namespace warpsight::slurm
