#include "simulate/nvml/session.h"

#include <cstring>

#include "simulate/nvml/state.h"

namespace warpsight::simulate {
namespace {

using nvml::abi::Return;

// Handles are numbers, not addresses: a stale one is recognised, never followed.
constexpr std::uintptr_t kHandleBase = 0x57530000;
constexpr std::uintptr_t kMigSlots = kMaxMigInstances + 1;

Call begin(Function function) {
  State& state = State::get();
  state.count(function);
  Call call;
  call.world = state.world();
  if (call.world == nullptr || !state.initialised()) {
    call.result = Return::uninitialized;
    return call;
  }
  call.t = call.world->clock().now();
  switch (call.world->driver_state(state.session_start(), call.t)) {
    case DriverState::unloaded: call.result = Return::driver_not_loaded; break;
    case DriverState::session_lost: call.result = Return::uninitialized; break;
    case DriverState::up: break;
  }
  return call;
}

// Lets a fault act on the call. False: the call is over.
bool suffer(Call& call, const Fault& fault, Function function) {
  if (call.t < fault.at || call.t >= fault.until || !fault.functions.test(index_of(function))) {
    return true;
  }
  switch (fault.kind) {
    case FaultKind::hang:
      State::get().hang();
      call.result = Return::timeout;
      return false;
    case FaultKind::slow: State::sleep(fault.delay); return true;
    case FaultKind::error: call.result = static_cast<Return>(fault.error); return false;
    case FaultKind::unsupported: call.result = Return::not_supported; return false;
    case FaultKind::garbage: call.garbage = true; return true;
    default: return true;
  }
}

void meet_gpu(Call& call, const SimulatedGpu& gpu, Function function, bool lookup) {
  call.gpu = &gpu;
  if (!gpu.visible(call.t) || gpu.lost(call.t)) {
    call.result = Return::gpu_is_lost;
    return;
  }
  for (const Fault* fault : gpu.faults()) {
    // "Every getter is not supported" leaves the ways to a handle open.
    if (lookup && fault->kind == FaultKind::unsupported && !fault->named) continue;
    if (!suffer(call, *fault, function)) return;
  }
  if (gpu.gpu().unsupported.test(index_of(function))) call.result = Return::not_supported;
}

}  // namespace

Return Call::put(unsigned* out, double value) const {
  *out = garbage ? 0xdeadbeef : to_u32(value);
  return Return::success;
}

Return Call::put(unsigned long long* out, double value) const { return put(out, to_u64(value)); }

Return Call::put(unsigned long long* out, std::uint64_t value) const {
  *out = garbage ? 0xdeadbeefdeadbeef : value;
  return Return::success;
}

Return Call::put_text(char* out, unsigned length, std::string_view text) const {
  if (garbage) text = "\xff\xfe\x01\x1b[31m\"\\\n\x80\xc3(";
  if (length <= text.size()) {
    if (!garbage || length == 0) return Return::insufficient_size;
    text = text.substr(0, length - 1);
  }
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return Return::success;
}

nvml::abi::Device handle_of(const SimulatedGpu& gpu, int mig_index) {
  const std::uintptr_t number =
      kHandleBase + gpu.index() * kMigSlots + static_cast<std::uintptr_t>(mig_index + 1);
  return reinterpret_cast<nvml::abi::Device>(number);  // NOLINT(performance-no-int-to-ptr)
}

const SimulatedGpu* gpu_of(const World& world, nvml::abi::Device device, int& mig_index) {
  const auto number = reinterpret_cast<std::uintptr_t>(device);
  if (number < kHandleBase) return nullptr;
  const std::size_t index = (number - kHandleBase) / kMigSlots;
  if (index >= world.gpus().size()) return nullptr;
  const SimulatedGpu& gpu = world.gpus()[index];
  mig_index = static_cast<int>((number - kHandleBase) % kMigSlots) - 1;
  return mig_index < static_cast<int>(gpu.gpu().mig.size()) ? &gpu : nullptr;
}

Call enter_any_device(Function function, nvml::abi::Device device) {
  Call call = begin(function);
  if (!call) return call;
  const SimulatedGpu* gpu = gpu_of(*call.world, device, call.mig_index);
  if (gpu == nullptr) {
    call.result = Return::invalid_argument;
    return call;
  }
  if (call.mig_index >= 0) call.mig = &gpu->gpu().mig[static_cast<std::size_t>(call.mig_index)];
  meet_gpu(call, *gpu, function, false);
  return call;
}

Call enter_gpu(Function function, nvml::abi::Device device) {
  Call call = enter_any_device(function, device);
  if (call && call.mig != nullptr) call.result = Return::not_supported;
  return call;
}

Call enter_no_device(Function function) {
  Call call = begin(function);
  if (!call) return call;
  for (const Fault* fault : call.world->library_faults()) {
    if (!suffer(call, *fault, function)) break;
  }
  return call;
}

Call enter_found(Function function, const Call& library, const SimulatedGpu& gpu) {
  Call call = library;
  meet_gpu(call, gpu, function, true);
  return call;
}

}  // namespace warpsight::simulate
