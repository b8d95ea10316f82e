// The NVIDIA GPUs that the kernel knows, from sysfs and procfs alone: nothing here wakes one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/file.h"
#include "sources/pci/bus.h"

namespace warpsight::nvml {

struct PciGpu {
  std::string address;  // "0000:06:00.0"
  bool suspended = false;
};

class PciScan {
 public:
  explicit PciScan(const std::string& root) : bus_(root) {}

  // GPUs bound to the nvidia driver, by address. Valid until the next call.
  const std::vector<PciGpu>& scan();
  // The same without looking again.
  const std::vector<PciGpu>& last() const { return gpus_; }

  // Whether a GPU of the last scan sleeps now. One that never does is not looked at.
  bool suspended(std::string_view address);

  // "" when sysfs does not say or there is only one.
  std::string numa_node(std::string_view address) const;

 private:
  struct Sleep {
    std::string address;
    bool possible;
    std::unique_ptr<FileReader> status;
  };

  Sleep& sleep_of(std::string_view address);
  bool suspended(Sleep& sleep);

  pci::Bus bus_;
  std::vector<PciGpu> gpus_;
  std::vector<Sleep> sleeps_;
  std::string buffer_;
};

// Whether there is an NVIDIA GPU that is not given to another driver, such as vfio-pci.
bool has_nvidia_hardware(const std::string& root);

// What the driver says in procfs of a GPU that may not be asked by NVML.
struct ProcInformation {
  std::string model;
  std::string uuid;
  std::string minor = {};
};
ProcInformation read_proc_information(const std::string& root, std::string_view address);

}  // namespace warpsight::nvml
