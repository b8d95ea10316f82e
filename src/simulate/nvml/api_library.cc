// The library itself and the ways to a device handle.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "simulate/nvml/api.h"

namespace warpsight::nvml::abi {
namespace {

Return put_handle(Function function, const Call& library, const SimulatedGpu& gpu, Device* out) {
  const Call call = simulate::enter_found(function, library, gpu);
  if (call) *out = simulate::handle_of(gpu);
  return call.result;
}

// "1b:00.0", "0000:1b:00.0" and "00000000:1B:00.0" name the same place.
bool at_address(const GpuSpec& spec, const char* text) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;
  const bool whole =
      std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &device, &function) == 4;  // NOLINT
  if (!whole) {
    domain = 0;
    if (std::sscanf(text, "%x:%x.%x", &bus, &device, &function) != 3) return false;  // NOLINT
  }
  return domain == spec.pci_domain && bus == spec.pci_bus && device == spec.pci_device &&
         function == 0;
}

Return cuda_version(Function function, int* version) {
  const Call call = enter_library(function, version != nullptr);
  if (!call) return call.result;
  const simulate::Driver& driver = call.world->scenario().driver;
  *version =
      call.garbage ? -1 : static_cast<int>(driver.cuda_major * 1000 + driver.cuda_minor * 10);
  return Return::success;
}

}  // namespace

Return nvmlInit_v2() { return simulate::initialise(Function::nvmlInit_v2); }

Return nvmlInitWithFlags(unsigned /*flags*/) {
  return simulate::initialise(Function::nvmlInitWithFlags);
}

Return nvmlShutdown() { return simulate::shut_down(); }

const char* nvmlErrorString(Return result) {
  switch (result) {
    case Return::success: return "Success";
    case Return::uninitialized: return "Uninitialized";
    case Return::invalid_argument: return "Invalid Argument";
    case Return::not_supported: return "Not Supported";
    case Return::no_permission: return "Insufficient Permissions";
    case Return::not_found: return "Not Found";
    case Return::insufficient_size: return "Insufficient Size";
    case Return::driver_not_loaded: return "Driver Not Loaded";
    case Return::timeout: return "Timeout";
    case Return::function_not_found: return "Function Not Found";
    case Return::corrupted_inforom: return "Corrupted infoROM";
    case Return::gpu_is_lost: return "GPU is lost";
    case Return::reset_required: return "GPU requires reset";
    case Return::lib_rm_version_mismatch: return "Driver/library version mismatch";
    case Return::in_use: return "In use by another client";
    case Return::memory: return "Insufficient Memory";
    case Return::no_data: return "No data";
    case Return::argument_version_mismatch: return "Argument version mismatch";
    case Return::not_ready: return "Not Ready";
    default: return "Unknown Error";
  }
}

Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  const Call call = enter_library(Function::nvmlSystemGetDriverVersion, version != nullptr);
  if (!call) return call.result;
  return call.put_text(version, length, call.world->scenario().driver.version);
}

Return nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  const Call call = enter_library(Function::nvmlSystemGetNVMLVersion, version != nullptr);
  if (!call) return call.result;
  return call.put_text(version, length, call.world->scenario().driver.nvml_version);
}

Return nvmlSystemGetCudaDriverVersion(int* version) {
  return cuda_version(Function::nvmlSystemGetCudaDriverVersion, version);
}

Return nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return cuda_version(Function::nvmlSystemGetCudaDriverVersion_v2, version);
}

Return nvmlSystemGetProcessName(unsigned pid, char* name, unsigned length) {
  const Call call =
      enter_library(Function::nvmlSystemGetProcessName, name != nullptr && length > 0);
  if (!call) return call.result;
  const std::string known = call.world->process_name(pid, call.t);
  if (known.empty()) return Return::not_found;
  // This one is cut to the buffer, not refused.
  return call.put_text(name, length, std::string_view(known).substr(0, length - 1));
}

Return nvmlDeviceGetCount_v2(unsigned* count) {
  const Call call = enter_library(Function::nvmlDeviceGetCount_v2, count != nullptr);
  if (!call) return call.result;
  return call.put(count, call.world->visible_count(call.t));
}

Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  const Call call = enter_library(Function::nvmlDeviceGetHandleByIndex_v2, device != nullptr);
  if (!call) return call.result;
  const SimulatedGpu* gpu = call.world->visible(index, call.t);
  if (gpu == nullptr) return Return::invalid_argument;
  return put_handle(Function::nvmlDeviceGetHandleByIndex_v2, call, *gpu, device);
}

Return nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Device* device) {
  const bool good = bus_id != nullptr && device != nullptr;
  const Call call = enter_library(Function::nvmlDeviceGetHandleByPciBusId_v2, good);
  if (!call) return call.result;
  for (const SimulatedGpu& gpu : call.world->gpus()) {
    if (!gpu.visible(call.t) || !at_address(gpu.spec(), bus_id)) continue;
    return put_handle(Function::nvmlDeviceGetHandleByPciBusId_v2, call, gpu, device);
  }
  return Return::not_found;
}

Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  const bool good = uuid != nullptr && device != nullptr;
  const Call call = enter_library(Function::nvmlDeviceGetHandleByUUID, good);
  if (!call) return call.result;
  for (const SimulatedGpu& gpu : call.world->gpus()) {
    if (!gpu.visible(call.t)) continue;
    if (gpu.spec().uuid == uuid) {
      return put_handle(Function::nvmlDeviceGetHandleByUUID, call, gpu, device);
    }
    const auto& instances = gpu.gpu().mig;
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (instances[i].uuid != uuid) continue;
      const Call found = simulate::enter_found(Function::nvmlDeviceGetHandleByUUID, call, gpu);
      if (found) *device = simulate::handle_of(gpu, static_cast<int>(i));
      return found.result;
    }
  }
  return Return::not_found;
}

}  // namespace warpsight::nvml::abi
