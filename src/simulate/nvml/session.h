// The way into every exported function: counting, initialisation, the state of the driver, handles
// and the scenario's faults.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "simulate/functions.h"
#include "simulate/nvml/saturate.h"
#include "simulate/nvml/world.h"
#include "sources/nvml/abi.h"

namespace warpsight::simulate {

// A call on its way: whether it may go on, and what it is about.
struct Call {
  nvml::abi::Return result = nvml::abi::Return::success;
  const World* world = nullptr;
  const SimulatedGpu* gpu = nullptr;
  const MigInstance* mig = nullptr;
  int mig_index = -1;
  Seconds t = 0;
  bool garbage = false;  // answer nonsense

  explicit operator bool() const { return result == nvml::abi::Return::success; }
  const GpuSpec& spec() const { return gpu->spec(); }
  double value(Reading reading) const { return gpu->value(reading, t); }
  unsigned natural(Reading reading) const { return to_u32(value(reading) + 0.5); }

  // Store the answer, or nonsense where the scenario wants that. All return success.
  nvml::abi::Return put(unsigned* out, double value) const;
  nvml::abi::Return put(unsigned long long* out, double value) const;
  nvml::abi::Return put(unsigned long long* out, std::uint64_t value) const;
  template <typename T>
  nvml::abi::Return put_enum(T* out, T value) const {
    *out = value;
    if (garbage) std::memset(out, 0x7b, sizeof *out);
    return nvml::abi::Return::success;
  }
  // As NVML copies strings: insufficient_size when it does not fit with its end.
  nvml::abi::Return put_text(char* out, unsigned length, std::string_view text) const;
};

// The ways in. A GPU's own calls refuse a MIG handle as "not supported"; `any` takes both.
Call enter_gpu(Function function, nvml::abi::Device device);
Call enter_any_device(Function function, nvml::abi::Device device);
Call enter_no_device(Function function);
// As a call on that GPU would fare, for the functions that look one up.
Call enter_found(Function function, const Call& library, const SimulatedGpu& gpu);

// The same for a caller whose arguments, handle aside, are `good` or not. Inline, so that readers
// of the callers (tools among them) see that nothing is stored through a bad argument.
inline Call with_arguments(Call call, bool good) {
  if (call && !good) call.result = nvml::abi::Return::invalid_argument;
  return call;
}
inline Call enter(Function function, nvml::abi::Device device, bool good) {
  return with_arguments(enter_gpu(function, device), good);
}
inline Call enter_any(Function function, nvml::abi::Device device, bool good) {
  return with_arguments(enter_any_device(function, device), good);
}
inline Call enter_library(Function function, bool good) {
  return with_arguments(enter_no_device(function), good);
}

nvml::abi::Device handle_of(const SimulatedGpu& gpu, int mig_index = -1);
// The GPU behind a handle, or null; `mig_index` -1 for a whole one.
const SimulatedGpu* gpu_of(const World& world, nvml::abi::Device device, int& mig_index);

// nvmlInit and nvmlShutdown.
nvml::abi::Return initialise(Function function);
nvml::abi::Return shut_down();

}  // namespace warpsight::simulate
