// Event sets: the way Xid errors reach a client.
#include <cmath>
#include <new>
#include <vector>

#include "simulate/nvml/api.h"
#include "simulate/nvml/state.h"

namespace warpsight::nvml::abi {

// Behind the opaque handle: which GPUs are watched, and how much of each source was told.
struct EventSetHandle {
  std::vector<unsigned long long> types;  // by GPU
  std::vector<std::uint32_t> told;        // by source of World::xids()
};

namespace {

using simulate::State;
using simulate::World;
using simulate::XidSource;

constexpr unsigned long long kHopperEvents = 0xff9f;
constexpr unsigned long long kOlderEvents = 0x9f;

unsigned long long supported(const GpuSpec& spec) {
  return spec.architecture >= architecture::kHopper ? kHopperEvents : kOlderEvents;
}

bool watched(const EventSetHandle& set, std::size_t gpu) {
  return gpu < set.types.size() && (set.types[gpu] & event::kXidCritical) != 0;
}

// The next event that has not been told, or null; `when` is its time.
const XidSource* next_event(const World& world, EventSetHandle& set, Seconds& when) {
  const XidSource* next = nullptr;
  when = simulate::kForever;
  const auto& sources = world.xids();
  for (std::size_t i = 0; i < sources.size() && i < set.told.size(); ++i) {
    if (!watched(set, sources[i].gpu)) continue;
    const Seconds time = sources[i].time_of(set.told[i]);
    if (time < when) {
      when = time;
      next = &sources[i];
    }
  }
  return next;
}

bool watches_lost_gpu(const World& world, const EventSetHandle& set, Seconds t) {
  for (const SimulatedGpu& gpu : world.gpus()) {
    if (watched(set, gpu.index()) && (gpu.lost(t) || !gpu.visible(t))) return true;
  }
  return false;
}

Return wait(Function function, EventSet set, EventData* data, unsigned timeout_ms, bool instances) {
  const Call call = enter_library(function, set != nullptr && data != nullptr);
  if (!call) return call.result;
  const World& world = *call.world;
  State& state = State::get();
  timespec begin{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  while (true) {
    const std::uint64_t moves = state.moves();
    const Seconds t = world.clock().now();
    if (state.world() != &world || !state.initialised()) return Return::uninitialized;
    if (world.driver_state(state.session_start(), t) != simulate::DriverState::up) {
      return Return::driver_not_loaded;
    }
    Seconds when = 0;
    const XidSource* source = next_event(world, *set, when);
    if (source != nullptr && when <= t) {
      ++set->told[static_cast<std::size_t>(source - world.xids().data())];
      data->device = simulate::handle_of(world.gpus()[source->gpu]);
      data->type = event::kXidCritical;
      data->data = source->xid;
      if (instances) data->gpu_instance_id = data->compute_instance_id = kNoInstance;
      return Return::success;
    }
    if (watches_lost_gpu(world, *set, t)) return Return::gpu_is_lost;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double passed = static_cast<double>(now.tv_sec - begin.tv_sec) +
                          static_cast<double>(now.tv_nsec - begin.tv_nsec) * 1e-9;
    const double left = timeout_ms * 1e-3 - passed;
    if (left <= 0) return Return::timeout;
    // At least every second, to notice a GPU that is lost meanwhile.
    double pause = std::min(left, 1.0);
    if (world.clock().runs()) pause = std::min(pause, (when - t) / world.clock().speed());
    state.wait(moves, pause);
  }
}

}  // namespace

Return nvmlDeviceGetSupportedEventTypes(Device device, unsigned long long* types) {
  const Call call = enter(Function::nvmlDeviceGetSupportedEventTypes, device, types != nullptr);
  if (!call) return call.result;
  return call.put(types, std::uint64_t{supported(call.spec())});
}

Return nvmlEventSetCreate(EventSet* set) {
  const Call call = enter_library(Function::nvmlEventSetCreate, set != nullptr);
  if (!call) return call.result;
  auto* created = new (std::nothrow) EventSetHandle;
  if (created == nullptr) return Return::memory;
  created->types.resize(call.world->gpus().size());
  created->told.resize(call.world->xids().size());
  *set = created;
  return Return::success;
}

Return nvmlDeviceRegisterEvents(Device device, unsigned long long types, EventSet set) {
  const Call call = enter(Function::nvmlDeviceRegisterEvents, device, set != nullptr);
  if (!call) return call.result;
  if ((types & ~supported(call.spec())) != 0) return Return::not_supported;
  const std::size_t gpu = call.gpu->index();
  // Only what happens from now on is told.
  const auto& sources = call.world->xids();
  for (std::size_t i = 0; i < sources.size() && i < set->told.size(); ++i) {
    if (sources[i].gpu == gpu && !watched(*set, gpu)) set->told[i] = sources[i].happened(call.t);
  }
  if (gpu < set->types.size()) set->types[gpu] |= types;
  return Return::success;
}

Return nvmlEventSetWait(EventSet set, EventData* data, unsigned timeout_ms) {
  return wait(Function::nvmlEventSetWait, set, data, timeout_ms, false);
}

Return nvmlEventSetWait_v2(EventSet set, EventData* data, unsigned timeout_ms) {
  return wait(Function::nvmlEventSetWait_v2, set, data, timeout_ms, true);
}

Return nvmlEventSetFree(EventSet set) {
  const Call call = enter_library(Function::nvmlEventSetFree, set != nullptr);
  delete set;  // the client's memory, whatever became of the driver
  return call.result;
}

}  // namespace warpsight::nvml::abi
