// One simulated GPU: every reading at any moment, without state. What the scenario does not
// override follows from the load.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/nvml/listed_processes.h"
#include "simulate/scenario.h"

namespace warpsight::simulate {

// A process that is alive at some moment; `pid` is the one of this life.
struct LiveProcess {
  std::uint32_t pid = 0;
  const Process* process = nullptr;
};

class SimulatedGpu {
 public:
  // `listed` outlives it; null: the scenario lists all processes itself.
  SimulatedGpu(const Scenario& scenario, std::size_t index, const ListedProcesses* listed);

  const GpuSpec& spec() const { return gpu_.spec; }
  const Gpu& gpu() const { return gpu_; }
  std::size_t index() const { return index_; }
  bool mig_enabled() const { return gpu_.mig_enabled; }

  double value(Reading reading, Seconds t) const;
  // Mean of a reading that is a signal (not: temperatures, clocks, counters) over from..to.
  double mean(Reading reading, Seconds from, Seconds to) const;
  // The same for a MIG instance, whose load stands in place of the GPU's.
  double mean(Reading reading, const MigInstance& mig, Seconds from, Seconds to) const;
  // Integral of a rate since the driver loaded or the counters were last reset.
  double accumulated(Reading rate, Seconds t) const;
  // A reading that counts, since the last reset.
  std::uint64_t count(Reading counter, Seconds t) const;
  // Seconds of a throttle or violation counter.
  double held_time(Reading counter, Seconds t) const;
  double energy(Seconds t) const;

  bool visible(Seconds t) const { return !in_window(vanishings_, t); }
  bool lost(Seconds t) const { return in_window(losses_, t); }
  // When a counter that is read at t began.
  Seconds counters_since(Seconds t) const;

  // Calls `use` with each process of that kind that is alive at t; `mig` < 0: on the whole GPU.
  template <typename Use>
  void for_each_process(Seconds t, int mig, Use use) const;
  std::uint64_t process_memory(Seconds t, int mig) const;

  const std::vector<const Fault*>& faults() const { return faults_; }
  bool field_unsupported(unsigned id) const;
  bool gpm_unsupported(unsigned id) const;

 private:
  // offset + scale × signal; no signal: the reading is computed.
  struct Affine {
    const Signal* signal = nullptr;
    double offset = 0, scale = 0;
  };
  struct Window {
    Seconds from, until;
  };

  void derive_readings();
  void set(Reading reading, double offset, double scale = 0);
  double computed(Reading reading, Seconds t) const;
  double clock_value(Reading reading, Seconds t) const;
  double memory_used(Seconds t) const;
  bool busy(Seconds t) const;
  static bool in_window(const std::vector<Window>& windows, Seconds t);
  static bool alive(const Process& process, Seconds t, LiveProcess& live);

  const Gpu& gpu_;
  std::size_t index_;
  const ListedProcesses* listed_;
  Seconds uptime_;
  std::array<Affine, kReadingCount> readings_;
  std::vector<Seconds> resets_;
  std::vector<Window> losses_, vanishings_;
  std::vector<const Fault*> faults_;
};

template <typename Use>
void SimulatedGpu::for_each_process(Seconds t, int mig, Use use) const {
  LiveProcess live;
  for (const Process& process : gpu_.processes) {
    if (mig >= 0 && process.mig != mig) continue;
    if (alive(process, t, live)) use(live);
  }
  if (listed_ == nullptr) return;
  const auto list = listed_->now();
  for (const Process& process : list->of(index_)) {
    if (mig >= 0 && process.mig != mig) continue;
    live = {process.pid, &process};
    use(live);
  }
}

}  // namespace warpsight::simulate
