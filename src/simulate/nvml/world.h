// The scenario that plays: its GPUs, its time, the driver's own state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulate/nvml/clock.h"
#include "simulate/nvml/gpu.h"

namespace warpsight::simulate {

// Xid errors of one fault on one GPU, at `at` and, where `every` is set, again and again.
struct XidSource {
  std::size_t gpu = 0;
  unsigned xid = 0;
  Seconds at = 0, until = kForever, every = 0;

  // How many have happened by t, and when number n (from 0) does; kForever: never.
  std::uint32_t happened(Seconds t) const;
  Seconds time_of(std::uint32_t n) const;
};

enum class DriverState { up, unloaded, session_lost };

// Immutable once built, the clock and the file of processes aside.
class World {
 public:
  World(Scenario scenario, const double* start);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Scenario& scenario() const { return scenario_; }
  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }
  const std::vector<SimulatedGpu>& gpus() const { return gpus_; }
  const std::vector<XidSource>& xids() const { return xids_; }
  const std::vector<const Fault*>& library_faults() const { return library_faults_; }

  // What a client that initialised at `since` finds at t.
  DriverState driver_state(Seconds since, Seconds t) const;
  unsigned visible_count(Seconds t) const;
  // The GPU that has this index at t; null past the last.
  const SimulatedGpu* visible(unsigned index, Seconds t) const;
  unsigned visible_index(const SimulatedGpu& gpu, Seconds t) const;
  // Empty when there is no such process.
  std::string process_name(std::uint32_t pid, Seconds t) const;

 private:
  Scenario scenario_;
  Clock clock_;
  std::unique_ptr<ListedProcesses> listed_;  // null: the scenario names no file
  std::vector<SimulatedGpu> gpus_;
  std::vector<XidSource> xids_;
  std::vector<const Fault*> library_faults_;  // those that touch calls without a GPU
};

}  // namespace warpsight::simulate
