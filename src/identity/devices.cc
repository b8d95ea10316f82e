#include "identity/devices.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace warpsight::identity {
namespace {

int number_in(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Device device_of(EntityId id, const Entity& entity) {
  Device device;
  device.entity = id;
  device.is_mig = entity.kind == EntityKind::mig;
  device.gpu = device.is_mig ? entity.parent : id;
  for (const Attribute& a : entity.attributes) {
    if (a.key == (device.is_mig ? "gpu.mig.uuid" : "gpu.uuid")) device.uuid = a.value;
    if (a.key == "gpu.index") device.index = a.value;
    if (a.key == "gpu.vendor") device.vendor = a.value;
    if (a.key == ".minor") device.minor = a.value;
    if (a.key == ".pci") device.pci = a.value;
    if (a.key == "gpu.mig.instance_id") device.gpu_instance = number_in(a.value);
    if (a.key == ".mig.ci") device.compute_instance = number_in(a.value);
  }
  return device;
}

// What an instance knows of the GPU it is a part of.
void inherit(Device& instance, const Device& gpu) {
  instance.index = gpu.index;
  instance.minor = gpu.minor;
  instance.pci = gpu.pci;
  instance.vendor = gpu.vendor;
}

bool is_called(const Device& device, const DeviceName& name) {
  if (!name.vendor.empty() && !device.vendor.empty() && name.vendor != device.vendor) return false;
  switch (name.form) {
    case DeviceName::Form::uuid: return device.uuid == name.text;
    case DeviceName::Form::index: return device.index == name.text;
    case DeviceName::Form::minor: return device.minor == name.text;
    case DeviceName::Form::pci: return device.pci == name.text;
  }
  return false;
}

bool is_meant(const Device& instance, const DeviceName& name) {
  return instance.gpu_instance == name.gpu_instance &&
         (name.compute_instance < 0 || instance.compute_instance < 0 ||
          instance.compute_instance == name.compute_instance);
}

}  // namespace

Devices::Devices(const EntityTable& entities) {
  for (const EntityKind kind : {EntityKind::gpu, EntityKind::mig}) {
    entities.for_each(kind, [&](EntityId id, const Entity& entity) {
      devices_.push_back(device_of(id, entity));
    });
  }
  for (Device& device : devices_) {
    if (!device.is_mig) continue;
    const size_t gpu = find(device.gpu);
    if (gpu == devices_.size()) continue;
    inherit(device, devices_[gpu]);
    devices_[gpu].divided = true;
  }
  std::ranges::sort(devices_, {}, [](const Device& d) {
    return std::tuple(d.vendor, number_in(d.index), d.gpu.bits, d.is_mig, d.gpu_instance,
                      d.compute_instance);
  });
}

size_t Devices::find(EntityId entity) const {
  const auto found = std::ranges::find(devices_, entity, &Device::entity);
  return static_cast<size_t>(found - devices_.begin());
}

void Devices::resolve(const DeviceName& name, std::vector<size_t>& out) const {
  for (const Device& device : devices_) {
    if (!is_called(device, name) || (device.is_mig && name.form != DeviceName::Form::uuid)) {
      continue;
    }
    if (!device.divided && name.gpu_instance < 0) {
      out.push_back(static_cast<size_t>(&device - devices_.data()));
      continue;
    }
    for (size_t i = 0; i < devices_.size(); ++i) {
      const Device& part = devices_[i];
      if (!part.is_mig || part.gpu != device.entity) continue;
      if (name.gpu_instance < 0 || is_meant(part, name)) out.push_back(i);
    }
  }
}

}  // namespace warpsight::identity
