// The way into every exported function: counting, initialisation, the state of the driver, handles
// and the scenario's faults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulate/functions.h"
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
  unsigned natural(Reading reading) const { return static_cast<unsigned>(value(reading) + 0.5); }

  // Store the answer, or nonsense where the scenario wants that. All return success.
  nvml::abi::Return put(unsigned* out, double value) const;
  nvml::abi::Return put(unsigned long long* out, double value) const;
  nvml::abi::Return put(unsigned long long* out, std::uint64_t value) const;
  template <typename T>
  nvml::abi::Return put_enum(T* out, T value) const {
    *out = garbage ? static_cast<T>(0x7badbeef) : value;
    return nvml::abi::Return::success;
  }
  // As NVML copies strings: insufficient_size when it does not fit with its end.
  nvml::abi::Return put_text(char* out, unsigned length, std::string_view text) const;
};

// `good`: the arguments, handle aside, are sane.
// A call on a GPU; a MIG handle is "not supported".
Call enter(Function function, nvml::abi::Device device, bool good);
// A call on a GPU or a MIG instance.
Call enter_any(Function function, nvml::abi::Device device, bool good);
// A call on no GPU.
Call enter_library(Function function, bool good);
// As a call on that GPU would fare, for the functions that look one up.
Call enter_found(Function function, const Call& library, const SimulatedGpu& gpu);

nvml::abi::Device handle_of(const SimulatedGpu& gpu, int mig_index = -1);
// The GPU behind a handle, or null; `mig_index` -1 for a whole one.
const SimulatedGpu* gpu_of(const World& world, nvml::abi::Device device, int& mig_index);

// nvmlInit and nvmlShutdown.
nvml::abi::Return initialise(Function function);
nvml::abi::Return shut_down();

}  // namespace warpsight::simulate
