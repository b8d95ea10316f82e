#include "simulate/nvml/gpu.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "simulate/nvml/saturate.h"

namespace warpsight::simulate {
namespace {

namespace abi = nvml::abi;

constexpr double kIdleLoad = 0.01;
constexpr Seconds kThermalLag = 30;
constexpr Seconds kMemoryLag = 60;
constexpr std::uint32_t kPidsBeforeReuse = 10'000;

// Driver-side memory of the BAR1 aperture at rest.
constexpr double kBar1AtRest = 1703936;

}  // namespace

SimulatedGpu::SimulatedGpu(const Scenario& scenario, std::size_t index,
                           const ListedProcesses* listed)
    : gpu_(scenario.gpus[index]), index_(index), listed_(listed), uptime_(scenario.driver.uptime) {
  derive_readings();
  for (const Fault& fault : scenario.faults) {
    if ((fault.gpus >> index & 1) == 0) continue;
    switch (fault.kind) {
      case FaultKind::lost: losses_.push_back({fault.at, fault.until}); break;
      case FaultKind::vanish:
        vanishings_.push_back({fault.at, fault.until});
        resets_.push_back(fault.until);
        break;
      case FaultKind::reload: resets_.push_back(fault.until); break;
      case FaultKind::reset_counters: resets_.push_back(fault.at); break;
      case FaultKind::xid: break;
      default: faults_.push_back(&fault); break;
    }
  }
  std::sort(resets_.begin(), resets_.end());
}

void SimulatedGpu::set(Reading reading, double offset, double scale) {
  readings_[index_of(reading)] = {&gpu_.load, offset, scale};
}

void SimulatedGpu::derive_readings() {
  const GpuSpec& s = gpu_.spec;
  // Whatever is not set below and not computed is nought.
  for (std::size_t i = 0; i < kReadingCount; ++i) set(static_cast<Reading>(i), 0);
  for (const Reading reading :
       {Reading::memory_used, Reading::bar1_used, Reading::energy, Reading::temperature,
        Reading::memory_temperature, Reading::temperature_margin, Reading::clock_graphics,
        Reading::clock_sm, Reading::clock_memory, Reading::clock_video, Reading::performance_state,
        Reading::clocks_event_reasons, Reading::throttle_sw_power_cap,
        Reading::violation_low_utilization, Reading::fan_speed, Reading::pcie_generation}) {
    readings_[index_of(reading)].signal = nullptr;
  }

  set(Reading::utilization, 0, 1);
  set(Reading::memory_utilization, 0, 0.4);
  set(Reading::power, s.power_idle, s.power_busy - s.power_idle);
  set(Reading::memory_power, 0.5 * s.power_idle, 0.12 * s.power_busy);
  set(Reading::power_limit, s.power_limit);
  // The parts of a large matrix product, as an H200 shows them.
  set(Reading::graphics_active, 0, 0.99);
  set(Reading::sm_active, 0, 0.956);
  set(Reading::sm_occupancy, 0, 0.141);
  set(Reading::integer_active, 0, 0.02);
  set(Reading::tensor_active, 0, 0.928);
  set(Reading::tensor_hmma_active, 0, 0.928);
  set(Reading::dram_active, 0, 0.172);
  set(Reading::fp32_active, 0, 0.01);
  set(Reading::pcie_tx, 0.9e6, 4.5e6);
  set(Reading::pcie_rx, 0.55e6, 12.3e6);
  set(Reading::pcie_width, s.pcie_width);
  set(Reading::nvlink_tx, 0, 0.35 * s.nvlinks * s.nvlink_link_rate);
  set(Reading::nvlink_rx, 0, 0.35 * s.nvlinks * s.nvlink_link_rate);
  set(Reading::nvlink_links_up, s.nvlinks);
  set(Reading::row_remap_banks_max, s.remap_banks);
  if (s.fabric) {
    constexpr unsigned kHealthy =
        abi::fabric::kHealthFalse << abi::fabric::kDegradedBwShift |
        abi::fabric::kHealthFalse << abi::fabric::kRouteRecoveryShift |
        abi::fabric::kHealthFalse << abi::fabric::kRouteUnhealthyShift |
        abi::fabric::kHealthFalse << abi::fabric::kAccessTimeoutRecoveryShift |
        abi::fabric::kIncorrectConfigurationNone << abi::fabric::kIncorrectConfigurationShift |
        abi::fabric::kHealthTrue << abi::fabric::kPartitionAssignedShift;
    set(Reading::fabric_state, abi::fabric::kCompleted);
    set(Reading::fabric_health, abi::fabric::kSummaryHealthy);
    set(Reading::fabric_health_mask, kHealthy);
  }
  for (std::size_t i = 0; i < kReadingCount; ++i) {
    if (gpu_.readings[i] != nullptr) readings_[i] = {gpu_.readings[i].get(), 0, 1};
  }
}

double SimulatedGpu::value(Reading reading, Seconds t) const {
  const Affine& affine = readings_[index_of(reading)];
  if (affine.signal == nullptr) return computed(reading, t);
  return affine.scale == 0 ? affine.offset : affine.offset + affine.scale * affine.signal->value(t);
}

double SimulatedGpu::mean(Reading reading, Seconds from, Seconds to) const {
  const Affine& affine = readings_[index_of(reading)];
  if (affine.signal == nullptr) return computed(reading, to);
  return affine.offset + affine.scale * affine.signal->mean(from, to);
}

double SimulatedGpu::mean(Reading reading, const MigInstance& mig, Seconds from, Seconds to) const {
  const Affine& affine = readings_[index_of(reading)];
  if (affine.signal != &gpu_.load) return mean(reading, from, to);
  return affine.offset + affine.scale * mig.load.mean(from, to);
}

Seconds SimulatedGpu::counters_since(Seconds t) const {
  Seconds since = -uptime_;
  for (const Seconds reset : resets_) {
    if (reset <= t) since = reset;
  }
  return since;
}

double SimulatedGpu::accumulated(Reading rate, Seconds t) const {
  const Seconds since = counters_since(t);
  return std::max(0.0, mean(rate, since, t) * (t - since));
}

std::uint64_t SimulatedGpu::count(Reading counter, Seconds t) const {
  const Seconds since = counters_since(t);
  const double base = since > -uptime_ ? value(counter, since) : 0;
  return to_u64(value(counter, t) - base);
}

double SimulatedGpu::energy(Seconds t) const {
  if (readings_[index_of(Reading::energy)].signal == nullptr) {
    return accumulated(Reading::power, t);
  }
  const Seconds since = counters_since(t);
  const double base = since > -uptime_ ? value(Reading::energy, since) : 0;
  return std::max(0.0, value(Reading::energy, t) - base);
}

double SimulatedGpu::held_time(Reading counter, Seconds t) const {
  const Seconds since = counters_since(t);
  if (readings_[index_of(counter)].signal != nullptr) {
    const double base = since > -uptime_ ? value(counter, since) : 0;
    return std::max(0.0, value(counter, t) - base);
  }
  const Signal& load = gpu_.load;
  if (counter == Reading::throttle_sw_power_cap) {
    return load.time_above(gpu_.spec.power_cap_at, t) -
           load.time_above(gpu_.spec.power_cap_at, since);
  }
  return (t - since) - (load.time_above(kIdleLoad, t) - load.time_above(kIdleLoad, since));
}

bool SimulatedGpu::busy(Seconds t) const { return gpu_.load.value(t) > kIdleLoad; }

double SimulatedGpu::clock_value(Reading reading, Seconds t) const {
  const GpuSpec& s = gpu_.spec;
  if (reading == Reading::clock_memory) return busy(t) ? s.clock_memory : s.clock_memory_idle;
  if (reading == Reading::clock_video) return busy(t) ? s.clock_video : s.clock_video_idle;
  if (!busy(t)) return s.clock_graphics_idle;
  // Held down by the power cap a clock gives up about a tenth, in the driver's 15 MHz steps.
  constexpr double kStep = 15;
  const bool capped = gpu_.load.above(s.power_cap_at, t);
  return capped ? std::floor(s.clock_graphics * 0.89 / kStep) * kStep : s.clock_graphics;
}

double SimulatedGpu::memory_used(Seconds t) const {
  const auto room = static_cast<double>(gpu_.spec.memory - gpu_.spec.memory_reserved);
  if (!gpu_.processes.empty() || listed_ != nullptr) {
    return std::min(room, static_cast<double>(process_memory(t, -1)));
  }
  return 0.62 * room * std::clamp(gpu_.load.mean(t - kMemoryLag, t), 0.0, 1.0);
}

double SimulatedGpu::computed(Reading reading, Seconds t) const {
  const GpuSpec& s = gpu_.spec;
  switch (reading) {
    case Reading::memory_used: return memory_used(t);
    case Reading::bar1_used: {
      const double used = kBar1AtRest + value(Reading::memory_used, t);
      return std::min(used, static_cast<double>(s.bar1));
    }
    case Reading::temperature:
      return s.temperature_idle +
             (s.temperature_busy - s.temperature_idle) * gpu_.load.mean(t - kThermalLag, t);
    case Reading::memory_temperature: return value(Reading::temperature, t) + 3;
    case Reading::temperature_margin: return s.limit_operating - value(Reading::temperature, t);
    case Reading::performance_state: return busy(t) ? 0 : s.idle_pstate;
    case Reading::clocks_event_reasons:
      if (!busy(t)) return static_cast<double>(abi::clocks_event::kGpuIdle);
      return gpu_.load.above(s.power_cap_at, t) ? abi::clocks_event::kSwPowerCap : 0;
    case Reading::fan_speed: return 0.3 + 0.5 * gpu_.load.mean(t - kThermalLag, t);
    case Reading::pcie_generation: return busy(t) ? s.pcie_generation : s.pcie_idle_generation;
    case Reading::energy: return energy(t);
    case Reading::throttle_sw_power_cap:
    case Reading::violation_low_utilization: return held_time(reading, t);
    default: return clock_value(reading, t);
  }
}

bool SimulatedGpu::in_window(const std::vector<Window>& windows, Seconds t) {
  return std::any_of(windows.begin(), windows.end(),
                     [t](const Window& window) { return t >= window.from && t < window.until; });
}

bool SimulatedGpu::alive(const Process& process, Seconds t, LiveProcess& live) {
  if (t < process.from || t >= process.until) return false;
  live.process = &process;
  live.pid = process.pid == kOwnPid ? static_cast<std::uint32_t>(getpid()) : process.pid;
  if (process.every <= 0) return true;
  const double life = std::floor((t - process.from) / process.every);
  live.pid += static_cast<std::uint32_t>(std::fmod(life, kPidsBeforeReuse));
  return t - process.from - life * process.every < process.alive;
}

std::uint64_t SimulatedGpu::process_memory(Seconds t, int mig) const {
  std::uint64_t sum = 0;
  for_each_process(t, mig, [&sum](const LiveProcess& live) { sum += live.process->memory; });
  return sum;
}

bool SimulatedGpu::field_unsupported(unsigned id) const {
  const auto& ids = gpu_.unsupported_fields;
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool SimulatedGpu::gpm_unsupported(unsigned id) const {
  const auto& ids = gpu_.unsupported_gpm;
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace warpsight::simulate
