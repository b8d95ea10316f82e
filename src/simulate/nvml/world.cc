#include "simulate/nvml/world.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/nvml/saturate.h"

namespace warpsight::simulate {
namespace {

// Whether a fault also touches the calls that name no GPU: it is told apart by leaving the GPU
// open, and "not supported" only where the scenario names such a call.
bool touches_library(const Fault& fault) {
  if (fault.gpus != ~0ULL) return false;
  switch (fault.kind) {
    case FaultKind::hang:
    case FaultKind::slow:
    case FaultKind::error:
    case FaultKind::garbage: return true;
    case FaultKind::unsupported: return fault.named;
    default: return false;
  }
}

}  // namespace

std::uint32_t XidSource::happened(Seconds t) const {
  t = std::min(t, std::nextafter(until, at));
  if (t < at) return 0;
  return every > 0 ? to_u32((t - at) / every) + 1 : 1;
}

Seconds XidSource::time_of(std::uint32_t n) const {
  if (n > 0 && every <= 0) return kForever;
  const Seconds time = at + every * n;
  return time < until ? time : kForever;
}

World::World(Scenario scenario, const double* start) : scenario_(std::move(scenario)) {
  clock_.configure(scenario_.clock, start);
  gpus_.reserve(scenario_.gpus.size());
  if (!scenario_.processes_from.empty()) {
    listed_ = std::make_unique<ListedProcesses>(scenario_);
  }
  for (std::size_t i = 0; i < scenario_.gpus.size(); ++i) {
    gpus_.emplace_back(scenario_, i, listed_.get());
  }
  for (const Fault& fault : scenario_.faults) {
    if (touches_library(fault)) library_faults_.push_back(&fault);
    if (fault.kind != FaultKind::xid) continue;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      if ((fault.gpus >> i & 1) == 0) continue;
      xids_.push_back({i, fault.xid, fault.at, fault.until, fault.every});
    }
  }
}

DriverState World::driver_state(Seconds since, Seconds t) const {
  DriverState state = DriverState::up;
  for (const Fault& fault : scenario_.faults) {
    if (fault.kind != FaultKind::reload || t < fault.at) continue;
    if (t < fault.until) return DriverState::unloaded;
    if (since < fault.until) state = DriverState::session_lost;
  }
  return state;
}

unsigned World::visible_count(Seconds t) const {
  return static_cast<unsigned>(std::count_if(
      gpus_.begin(), gpus_.end(), [t](const SimulatedGpu& gpu) { return gpu.visible(t); }));
}

const SimulatedGpu* World::visible(unsigned index, Seconds t) const {
  for (const SimulatedGpu& gpu : gpus_) {
    if (!gpu.visible(t)) continue;
    if (index == 0) return &gpu;
    --index;
  }
  return nullptr;
}

unsigned World::visible_index(const SimulatedGpu& gpu, Seconds t) const {
  unsigned index = 0;
  for (std::size_t i = 0; i < gpu.index(); ++i) index += gpus_[i].visible(t) ? 1 : 0;
  return index;
}

std::string World::process_name(std::uint32_t pid, Seconds t) const {
  std::string name;
  for (const SimulatedGpu& gpu : gpus_) {
    gpu.for_each_process(t, -1, [&](const LiveProcess& live) {
      if (live.pid == pid) name = live.process->real ? real_process_name(pid) : live.process->name;
    });
  }
  return name;
}

}  // namespace warpsight::simulate
