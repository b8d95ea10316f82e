// What a device is: names, places, versions, MIG.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "simulate/nvml/api.h"

namespace warpsight::nvml::abi {
namespace {

void format_address(char* out, std::size_t size, const char* domain_format, const GpuSpec& spec) {
  std::snprintf(out, size, domain_format, spec.pci_domain, spec.pci_bus,
                spec.pci_device);  // NOLINT
}

Return pci_info(Function function, Device device, PciInfo* pci) {
  const Call call = enter_any(function, device, pci != nullptr);
  if (!call) return call.result;
  const GpuSpec& spec = call.spec();
  *pci = {};
  format_address(pci->bus_id_legacy, sizeof pci->bus_id_legacy, "%04X:%02X:%02X.0", spec);
  format_address(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:%02X.0", spec);
  pci->domain = spec.pci_domain;
  pci->bus = spec.pci_bus;
  pci->device = spec.pci_device;
  pci->pci_device_id = spec.pci_device_id;
  pci->pci_subsystem_id = spec.pci_subsystem_id;
  if (call.garbage) call.put_text(pci->bus_id, sizeof pci->bus_id, "");
  return Return::success;
}

Return put_known(const Call& call, char* out, unsigned length, const std::string& text) {
  return text.empty() ? Return::not_supported : call.put_text(out, length, text);
}

}  // namespace

Return nvmlDeviceGetName(Device device, char* name, unsigned length) {
  const Call call = enter_any(Function::nvmlDeviceGetName, device, name != nullptr);
  if (!call) return call.result;
  if (call.mig == nullptr) return call.put_text(name, length, call.spec().name);
  std::array<char, kNameBuffer + 32> whole{};
  const auto end = fmt::format_to_n(whole.data(), whole.size() - 1, "{} MIG {}", call.spec().name,
                                    call.mig->profile);
  return call.put_text(name, length, std::string_view(whole.data(), end.size));
}

Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned length) {
  const Call call = enter_any(Function::nvmlDeviceGetUUID, device, uuid != nullptr);
  if (!call) return call.result;
  return call.put_text(uuid, length, call.mig != nullptr ? call.mig->uuid : call.spec().uuid);
}

Return nvmlDeviceGetSerial(Device device, char* serial, unsigned length) {
  const Call call = enter(Function::nvmlDeviceGetSerial, device, serial != nullptr);
  return call ? put_known(call, serial, length, call.spec().serial) : call.result;
}

Return nvmlDeviceGetVbiosVersion(Device device, char* version, unsigned length) {
  const Call call = enter(Function::nvmlDeviceGetVbiosVersion, device, version != nullptr);
  return call ? put_known(call, version, length, call.spec().vbios) : call.result;
}

Return nvmlDeviceGetInforomImageVersion(Device device, char* version, unsigned length) {
  const Call call = enter(Function::nvmlDeviceGetInforomImageVersion, device, version != nullptr);
  return call ? put_known(call, version, length, call.spec().inforom) : call.result;
}

Return nvmlDeviceGetBoardPartNumber(Device device, char* number, unsigned length) {
  const Call call = enter(Function::nvmlDeviceGetBoardPartNumber, device, number != nullptr);
  return call ? put_known(call, number, length, call.spec().board_part) : call.result;
}

Return nvmlDeviceGetGspFirmwareVersion(Device device, char* version) {
  const Call call = enter(Function::nvmlDeviceGetGspFirmwareVersion, device, version != nullptr);
  if (!call) return call.result;
  if (!call.spec().gsp) return Return::not_supported;
  return call.put_text(version, kGspFirmwareBuffer, call.world->scenario().driver.version);
}

Return nvmlDeviceGetPciInfo_v2(Device device, PciInfo* pci) {
  return pci_info(Function::nvmlDeviceGetPciInfo_v2, device, pci);
}

Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
  return pci_info(Function::nvmlDeviceGetPciInfo_v3, device, pci);
}

Return nvmlDeviceGetIndex(Device device, unsigned* index) {
  const Call call = enter_any(Function::nvmlDeviceGetIndex, device, index != nullptr);
  if (!call) return call.result;
  if (call.mig != nullptr) return call.put(index, call.mig_index);
  return call.put(index, call.world->visible_index(*call.gpu, call.t));
}

Return nvmlDeviceGetMinorNumber(Device device, unsigned* minor) {
  const Call call = enter(Function::nvmlDeviceGetMinorNumber, device, minor != nullptr);
  return call ? call.put(minor, call.spec().minor) : call.result;
}

Return nvmlDeviceGetModuleId(Device device, unsigned* module) {
  const Call call = enter(Function::nvmlDeviceGetModuleId, device, module != nullptr);
  return call ? call.put(module, call.spec().module) : call.result;
}

Return nvmlDeviceGetArchitecture(Device device, unsigned* architecture) {
  const Call call = enter(Function::nvmlDeviceGetArchitecture, device, architecture != nullptr);
  return call ? call.put(architecture, call.spec().architecture) : call.result;
}

Return nvmlDeviceGetBrand(Device device, unsigned* brand) {
  const Call call = enter_any(Function::nvmlDeviceGetBrand, device, brand != nullptr);
  return call ? call.put(brand, call.spec().brand) : call.result;
}

Return nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  const bool good = major != nullptr && minor != nullptr;
  const Call call = enter_any(Function::nvmlDeviceGetCudaComputeCapability, device, good);
  if (!call) return call.result;
  *major = call.garbage ? -1 : call.spec().compute_major;
  *minor = call.garbage ? -1 : call.spec().compute_minor;
  return Return::success;
}

// Only GPUs that are NUMA nodes themselves have one; where the board hangs off is the affinity.
Return nvmlDeviceGetNumaNodeId(Device device, unsigned* node) {
  const Call call = enter(Function::nvmlDeviceGetNumaNodeId, device, node != nullptr);
  return call ? Return::not_supported : call.result;
}

Return nvmlDeviceGetMemoryAffinity(Device device, unsigned words, unsigned long* nodes,
                                   unsigned scope) {
  const bool good = words > 0 && nodes != nullptr && scope <= 1;
  const Call call = enter(Function::nvmlDeviceGetMemoryAffinity, device, good);
  if (!call) return call.result;
  std::memset(nodes, 0, words * sizeof *nodes);
  nodes[0] = 1UL << call.spec().numa_node;
  return Return::success;
}

Return nvmlDeviceGetPersistenceMode(Device device, EnableState* mode) {
  const Call call = enter(Function::nvmlDeviceGetPersistenceMode, device, mode != nullptr);
  if (!call) return call.result;
  return call.put_enum(mode, static_cast<EnableState>(call.spec().persistence ? 1 : 0));
}

Return nvmlDeviceGetVirtualizationMode(Device device, VirtualizationMode* mode) {
  const Call call = enter(Function::nvmlDeviceGetVirtualizationMode, device, mode != nullptr);
  return call ? call.put_enum(mode, call.spec().virtualization) : call.result;
}

Return nvmlDeviceGetHostVgpuMode(Device device, HostVgpuMode* mode) {
  const Call call = enter(Function::nvmlDeviceGetHostVgpuMode, device, mode != nullptr);
  if (!call) return call.result;
  if (call.spec().virtualization != VirtualizationMode::host_vgpu) return Return::not_supported;
  return call.put_enum(mode, static_cast<HostVgpuMode>(call.spec().host_vgpu_sriov ? 1 : 0));
}

Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  const bool good = current != nullptr && pending != nullptr;
  const Call call = enter(Function::nvmlDeviceGetMigMode, device, good);
  if (!call) return call.result;
  if (!call.spec().mig_capable) return Return::not_supported;
  call.put(pending, call.gpu->mig_enabled() ? 1 : 0);
  return call.put(current, call.gpu->mig_enabled() ? 1 : 0);
}

Return nvmlDeviceIsMigDeviceHandle(Device device, unsigned* is_mig) {
  const Call call = enter_any(Function::nvmlDeviceIsMigDeviceHandle, device, is_mig != nullptr);
  return call ? call.put(is_mig, call.mig != nullptr ? 1 : 0) : call.result;
}

Return nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  const Call call = enter(Function::nvmlDeviceGetMaxMigDeviceCount, device, count != nullptr);
  return call ? call.put(count, call.gpu->mig_enabled() ? 7 : 0) : call.result;
}

Return nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device* mig) {
  const Call call = enter(Function::nvmlDeviceGetMigDeviceHandleByIndex, device, mig != nullptr);
  if (!call) return call.result;
  if (index >= call.gpu->gpu().mig.size()) return Return::not_found;
  *mig = simulate::handle_of(*call.gpu, static_cast<int>(index));
  return Return::success;
}

Return nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Device mig, Device* device) {
  const Call call =
      enter_any(Function::nvmlDeviceGetDeviceHandleFromMigDeviceHandle, mig, device != nullptr);
  if (!call) return call.result;
  if (call.mig == nullptr) return Return::invalid_argument;
  *device = simulate::handle_of(*call.gpu);
  return Return::success;
}

Return nvmlDeviceGetGpuInstanceId(Device device, unsigned* id) {
  const Call call = enter_any(Function::nvmlDeviceGetGpuInstanceId, device, id != nullptr);
  if (!call) return call.result;
  return call.mig == nullptr ? Return::invalid_argument : call.put(id, call.mig->gpu_instance);
}

Return nvmlDeviceGetComputeInstanceId(Device device, unsigned* id) {
  const Call call = enter_any(Function::nvmlDeviceGetComputeInstanceId, device, id != nullptr);
  if (!call) return call.result;
  return call.mig == nullptr ? Return::invalid_argument : call.put(id, call.mig->compute_instance);
}

Return nvmlDeviceGetAttributes_v2(Device device, DeviceAttributes* attributes) {
  const Call call = enter_any(Function::nvmlDeviceGetAttributes_v2, device, attributes != nullptr);
  if (!call) return call.result;
  if (call.mig == nullptr) return Return::not_supported;
  *attributes = {};
  attributes->multiprocessor_count = call.mig->multiprocessors;
  attributes->shared_copy_engine_count = call.mig->gpu_slices;
  attributes->gpu_instance_slice_count = call.mig->gpu_slices;
  attributes->compute_instance_slice_count = call.mig->compute_slices;
  attributes->memory_size_mb = call.mig->memory >> 20U;
  return Return::success;
}

}  // namespace warpsight::nvml::abi
