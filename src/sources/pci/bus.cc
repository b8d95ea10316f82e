#include "sources/pci/bus.h"

#include <unistd.h>

#include <algorithm>

#include "platform/file.h"

namespace warpsight::pci {
namespace {

constexpr size_t kMaxDevices = 16'384;

const Vendor* vendor_of(uint64_t id, uint64_t device_class) {
  for (const Vendor& vendor : kVendors) {
    if (vendor.id != id || device_class == 0) continue;
    if (std::ranges::find(vendor.classes, device_class) != vendor.classes.end()) return &vendor;
  }
  return nullptr;
}

}  // namespace

Bus::Bus(const std::string& root)
    : directory_(under_root(root, "/sys/bus/pci/devices")), devices_(kMaxDevices) {}

int Bus::scan() {
  gpus_.clear();
  devices_.begin();
  const int error = directory_.for_each([&](std::string_view address) {
    const Device* device =
        devices_.visit(address, [&](std::string_view name) { return look_at(name); });
    if (device == nullptr || device->vendor == nullptr) return;
    gpus_.push_back({std::string(address), device->vendor, link_target_name(device->driver_link)});
  });
  devices_.sweep([](const Device&) {});
  std::ranges::sort(gpus_, {}, &Gpu::address);
  return error;
}

Bus::Device Bus::look_at(std::string_view address) const {
  const std::string path = directory_.path() + "/" + std::string(address) + "/";
  const auto id = read_number_file((path + "vendor").c_str(), 16);
  const auto device_class = read_number_file((path + "class").c_str(), 16);
  if (!id || !device_class) return {};
  // A virtual function is a share of a GPU that is counted already.
  if (access((path + "physfn").c_str(), F_OK) == 0) return {};
  const Vendor* vendor = vendor_of(*id, *device_class >> 8);
  return {vendor, vendor == nullptr ? std::string() : path + "driver"};
}

}  // namespace warpsight::pci
