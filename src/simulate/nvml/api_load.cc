// Utilisation, memory, clocks, throttling and the driver's sample buffers.
#include <algorithm>
#include <cmath>

#include "simulate/nvml/api.h"

namespace warpsight::nvml::abi {
namespace {

// The driver's rings, as an H200 has them: a query says `capacity` and gets at most one fewer.
struct Ring {
  Seconds period;
  unsigned capacity;
};
constexpr Ring kPowerRing{0.02, 120};
constexpr Ring kUtilizationRing{0.2, 72};
constexpr unsigned kClockRingCapacity = 100;
constexpr unsigned kCodecPeriodUs = 100'000;

// The mean over the last whole cell of a ring.
double latest(const Call& call, Reading reading, const Ring& ring) {
  const Seconds end = std::floor(call.t / ring.period) * ring.period;
  return call.gpu->mean(reading, end - ring.period, end);
}

double percent(double ratio) { return std::floor(100 * ratio + 0.5); }

// Utilisation is not known on a GPU in MIG mode.
bool has_utilization(const Call& call) { return !call.gpu->mig_enabled(); }

Return codec(Function function, Reading reading, Device device, unsigned* utilization,
             unsigned* period_us) {
  const Call call = enter(function, device, utilization != nullptr && period_us != nullptr);
  if (!call) return call.result;
  if (!has_utilization(call)) return Return::not_supported;
  *period_us = kCodecPeriodUs;
  return call.put(utilization, percent(latest(call, reading, kUtilizationRing)));
}

std::uint64_t used_memory(const Call& call) {
  if (call.mig == nullptr) return simulate::to_u64(call.value(Reading::memory_used));
  return std::min(call.mig->memory, call.gpu->process_memory(call.t, call.mig_index));
}

Return reasons(Function function, Device device, unsigned long long* out) {
  const Call call = enter(function, device, out != nullptr);
  return call ? call.put(out, call.value(Reading::clocks_event_reasons)) : call.result;
}

Return supported_reasons(Function function, Device device, unsigned long long* out) {
  constexpr std::uint64_t kAll = 0x1ff;
  const Call call = enter(function, device, out != nullptr);
  return call ? call.put(out, kAll) : call.result;
}

// Fills `samples` with what lies after `last_seen_us`, oldest first; value(from, to) gives a
// cell's.
template <typename Value>
Return drain(const Call& call, const Ring& ring, unsigned long long last_seen_us, unsigned* count,
             Sample* samples, Value value) {
  const simulate::Clock& clock = call.world->clock();
  const auto newest = static_cast<std::int64_t>(std::floor(call.t / ring.period));
  const auto oldest_kept = newest - static_cast<std::int64_t>(ring.capacity) + 2;
  const auto born =
      static_cast<std::int64_t>(std::ceil(-call.world->scenario().driver.uptime / ring.period)) + 1;
  std::int64_t cell = std::max(oldest_kept, born);
  if (last_seen_us > 0) {
    const Seconds seen = clock.time_of(last_seen_us);
    if (seen > static_cast<double>(newest) * ring.period + 1e-6) return Return::not_found;
    cell = std::max(cell, static_cast<std::int64_t>(std::floor(seen / ring.period + 1e-6)) + 1);
  }
  unsigned written = 0;
  for (; cell <= newest && written < *count; ++cell) {
    const Seconds end = static_cast<double>(cell) * ring.period;
    Sample& sample = samples[written++];
    sample.time_us = clock.stamp(end);
    sample.value = {};
    call.put(&sample.value.uint32, value(end - ring.period, end));
  }
  if (written == 0) return Return::not_found;
  *count = written;
  return Return::success;
}

}  // namespace

Return nvmlDeviceGetUtilizationRates(Device device, Utilization* utilization) {
  const Call call = enter(Function::nvmlDeviceGetUtilizationRates, device, utilization != nullptr);
  if (!call) return call.result;
  if (!has_utilization(call)) return Return::not_supported;
  const double memory = latest(call, Reading::memory_utilization, kUtilizationRing);
  call.put(&utilization->memory, percent(memory));
  const double gpu = latest(call, Reading::utilization, kUtilizationRing);
  return call.put(&utilization->gpu, percent(gpu));
}

Return nvmlDeviceGetEncoderUtilization(Device device, unsigned* utilization, unsigned* period_us) {
  return codec(Function::nvmlDeviceGetEncoderUtilization, Reading::encoder_utilization, device,
               utilization, period_us);
}

Return nvmlDeviceGetDecoderUtilization(Device device, unsigned* utilization, unsigned* period_us) {
  return codec(Function::nvmlDeviceGetDecoderUtilization, Reading::decoder_utilization, device,
               utilization, period_us);
}

// Here "used" has the driver's reservation in it; _v2 keeps the two apart.
Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  const Call call = enter_any(Function::nvmlDeviceGetMemoryInfo, device, memory != nullptr);
  if (!call) return call.result;
  const std::uint64_t total = call.mig != nullptr ? call.mig->memory : call.spec().memory;
  const std::uint64_t reserved = call.mig != nullptr ? 0 : call.spec().memory_reserved;
  const std::uint64_t used = std::min(total, used_memory(call) + reserved);
  call.put(&memory->total, total);
  call.put(&memory->free, total - used);
  return call.put(&memory->used, used);
}

Return nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory) {
  const Call call = enter_any(Function::nvmlDeviceGetMemoryInfo_v2, device, memory != nullptr);
  if (!call) return call.result;
  // The driver answers so, where others say "version mismatch".
  if (memory->version != kMemoryV2) return Return::function_not_found;
  const std::uint64_t total = call.mig != nullptr ? call.mig->memory : call.spec().memory;
  const std::uint64_t reserved = call.mig != nullptr ? 0 : call.spec().memory_reserved;
  const std::uint64_t used = std::min(total - reserved, used_memory(call));
  call.put(&memory->total, total);
  call.put(&memory->reserved, reserved);
  call.put(&memory->free, total - reserved - used);
  return call.put(&memory->used, used);
}

Return nvmlDeviceGetBAR1MemoryInfo(Device device, Bar1Memory* memory) {
  const Call call = enter_any(Function::nvmlDeviceGetBAR1MemoryInfo, device, memory != nullptr);
  if (!call) return call.result;
  const std::uint64_t total = call.spec().bar1;
  const auto used = simulate::to_u64(call.value(Reading::bar1_used));
  call.put(&memory->total, total);
  call.put(&memory->free, total - std::min(total, used));
  return call.put(&memory->used, used);
}

Return nvmlDeviceGetClockInfo(Device device, ClockType type, unsigned* mhz) {
  const bool good = mhz != nullptr && type <= ClockType::video;
  const Call call = enter(Function::nvmlDeviceGetClockInfo, device, good);
  if (!call) return call.result;
  switch (type) {
    case ClockType::graphics: return call.put(mhz, call.value(Reading::clock_graphics));
    case ClockType::sm: return call.put(mhz, call.value(Reading::clock_sm));
    case ClockType::memory: return call.put(mhz, call.value(Reading::clock_memory));
    case ClockType::video: break;
  }
  return call.put(mhz, call.value(Reading::clock_video));
}

Return nvmlDeviceGetMaxClockInfo(Device device, ClockType type, unsigned* mhz) {
  const bool good = mhz != nullptr && type <= ClockType::video;
  const Call call = enter(Function::nvmlDeviceGetMaxClockInfo, device, good);
  if (!call) return call.result;
  const GpuSpec& spec = call.spec();
  if (type == ClockType::memory) return call.put(mhz, spec.clock_memory);
  return call.put(mhz, type == ClockType::video ? spec.clock_video : spec.clock_graphics);
}

Return nvmlDeviceGetPerformanceState(Device device, unsigned* state) {
  const Call call = enter(Function::nvmlDeviceGetPerformanceState, device, state != nullptr);
  return call ? call.put(state, call.value(Reading::performance_state)) : call.result;
}

Return nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* out) {
  return reasons(Function::nvmlDeviceGetCurrentClocksEventReasons, device, out);
}

Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* out) {
  return reasons(Function::nvmlDeviceGetCurrentClocksThrottleReasons, device, out);
}

Return nvmlDeviceGetSupportedClocksEventReasons(Device device, unsigned long long* out) {
  return supported_reasons(Function::nvmlDeviceGetSupportedClocksEventReasons, device, out);
}

Return nvmlDeviceGetSupportedClocksThrottleReasons(Device device, unsigned long long* out) {
  return supported_reasons(Function::nvmlDeviceGetSupportedClocksThrottleReasons, device, out);
}

Return nvmlDeviceGetViolationStatus(Device device, PerfPolicy policy, ViolationTime* time) {
  const Call call = enter(Function::nvmlDeviceGetViolationStatus, device, time != nullptr);
  if (!call) return call.result;
  Reading reading = Reading::throttle_sw_power_cap;
  switch (policy) {
    case PerfPolicy::power: break;
    case PerfPolicy::thermal: reading = Reading::violation_thermal; break;
    case PerfPolicy::sync_boost: reading = Reading::throttle_sync_boost; break;
    case PerfPolicy::board_limit: reading = Reading::violation_board_limit; break;
    case PerfPolicy::low_utilization: reading = Reading::violation_low_utilization; break;
    case PerfPolicy::reliability: reading = Reading::violation_reliability; break;
    case PerfPolicy::total_app_clocks: reading = Reading::violation_app_clocks; break;
    case PerfPolicy::total_base_clocks: reading = Reading::violation_base_clocks; break;
    default: return Return::invalid_argument;
  }
  time->reference_time_us = call.world->clock().stamp(call.t);
  return call.put(&time->violation_time_ns, call.gpu->held_time(reading, call.t) * 1e9);
}

Return nvmlDeviceGetSamples(Device device, SamplingType type, unsigned long long last_seen_us,
                            ValueType* value_type, unsigned* count, Sample* samples) {
  const bool good = value_type != nullptr && count != nullptr &&
                    (samples == nullptr || *count > 0) && type <= SamplingType::ofa_utilization &&
                    type != SamplingType::module_power;
  const Call call = enter(Function::nvmlDeviceGetSamples, device, good);
  if (!call) return call.result;
  const bool power = type == SamplingType::total_power;
  const bool clock = type == SamplingType::processor_clock || type == SamplingType::memory_clock;
  if (power ? !call.spec().power_samples : !clock && !has_utilization(call)) {
    return Return::not_supported;
  }
  const Ring& ring = power ? kPowerRing : kUtilizationRing;
  *value_type = ValueType::uint32;
  if (samples == nullptr) {
    *count = clock ? kClockRingCapacity : ring.capacity;
    return Return::success;
  }
  if (clock) return Return::not_found;
  return drain(call, ring, last_seen_us, count, samples, [&](Seconds from, Seconds to) {
    const SimulatedGpu& gpu = *call.gpu;
    switch (type) {
      case SamplingType::total_power:
        return std::floor(gpu.mean(Reading::power, from, to) * 1000 + 0.5);
      case SamplingType::gpu_utilization: return percent(gpu.mean(Reading::utilization, from, to));
      case SamplingType::memory_utilization:
        return percent(gpu.mean(Reading::memory_utilization, from, to));
      case SamplingType::encoder_utilization:
        return percent(gpu.mean(Reading::encoder_utilization, from, to));
      case SamplingType::decoder_utilization:
        return percent(gpu.mean(Reading::decoder_utilization, from, to));
      default: return 0.0;
    }
  });
}

}  // namespace warpsight::nvml::abi
