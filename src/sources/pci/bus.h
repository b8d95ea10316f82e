// Finds GPUs among the devices of a PCI bus in sysfs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sources/sysfs/device_set.h"
#include "sources/sysfs/directory.h"

namespace warpsight::pci {

struct Vendor {
  std::string_view name;  // as in gpu.vendor
  uint64_t id;
  std::string_view driver;          // the one whose GPUs are ours
  std::array<uint64_t, 4> classes;  // base and sub class; 0: none
};

inline constexpr std::array<Vendor, 3> kVendors = {{
    {"nvidia", 0x10de, "nvidia", {0x0300, 0x0302, 0, 0}},
    {"amd", 0x1002, "amdgpu", {0x0300, 0x0302, 0x0380, 0x1200}},
    {"habana", 0x1da3, "habanalabs", {0x1200, 0, 0, 0}},
}};

struct Gpu {
  std::string address;
  const Vendor* vendor;
  std::string driver;  // empty: none is bound, as when the GPU is dead
  // Bound to something else (vfio-pci, nouveau) it has been given away.
  bool ours() const { return driver.empty() || driver == vendor->driver; }
};

class Bus {
 public:
  explicit Bus(const std::string& root);

  // Looks again. Returns errno when the bus cannot be listed.
  int scan();

  // Of the last scan, by address.
  const std::vector<Gpu>& gpus() const { return gpus_; }
  const std::string& path() const { return directory_.path(); }

 private:
  // A device's kind does not change while it is there; its driver may.
  struct Device {
    const Vendor* vendor = nullptr;
    std::string driver_link;
  };

  Device look_at(std::string_view address) const;

  Directory directory_;
  DeviceSet<Device> devices_;
  std::vector<Gpu> gpus_;
};

}  // namespace warpsight::pci
