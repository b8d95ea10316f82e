// A kubelet's answer: whatever the bytes, names that Kubernetes could have come of them and no more
// devices than allowed, or an error; ids name a device or none.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sources/kubernetes/device_ids.h"
#include "sources/kubernetes/pod_resources/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight::kubernetes;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const DeviceIds ids;
  const auto look_at = [&](const GrantedDevices& devices) {
    for (const auto& id : devices.ids) {
      const auto device = ids.device(devices.resource, id);
      if (device && (device->text.empty() || device->vendor.empty())) std::abort();
    }
  };
  if (const auto pods = decode_pods(bytes)) {
    for (const PodGrants& pod : *pods) {
      if (pod.name.empty() || pod.space.empty()) std::abort();
      for (const ContainerGrants& container : pod.containers) {
        if (container.name.empty()) std::abort();
        for (const GrantedDevices& devices : container.devices) look_at(devices);
        for (const ClaimedDevice& claimed : container.claimed) {
          for (const auto& name : claimed.cdi) (void)device_of_cdi(name);
        }
      }
    }
  }
  if (const auto all = decode_allocatable(bytes)) {
    for (const GrantedDevices& devices : *all) look_at(devices);
  }
  return 0;
}
