#include "sources/nvml/throttle.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "runtime/log.h"

namespace warpsight::nvml {
namespace {

EntityId cause_facet(EntityTable& entities, EntityId gpu, std::string_view name) {
  return facet(entities, gpu, {{"gpu.throttle.cause", name}});
}

}  // namespace

ThrottleReasons::ThrottleReasons(EntityTable& entities, EntityId gpu)
    : gpu_(gpu),
      mask_{{Metric::gpu_throttle_reason, gpu},
            {Metric::gpu_throttle_power_active, gpu},
            {Metric::gpu_throttle_thermal_active, gpu},
            {Metric::gpu_throttle_sw_active, gpu},
            {Metric::gpu_throttle_hw_active, gpu}} {
  for (const ThrottleCause& cause : kThrottleCauses) {
    causes_.push_back({cause, cause_facet(entities, gpu, cause.name)});
    named_ |= cause.bit;
  }
}

bool ThrottleReasons::read_mask(Pass& pass, unsigned long long& mask) {
  if (has_event_reasons_) {
    if (pass.get_newer(has_event_reasons_, mask_, pass.lib.nvmlDeviceGetCurrentClocksEventReasons,
                       pass.handle, &mask)) {
      return true;
    }
    if (has_event_reasons_) return false;
  }
  return pass.get(mask_, pass.lib.nvmlDeviceGetCurrentClocksThrottleReasons, pass.handle, &mask);
}

void ThrottleReasons::read_supported(Pass& pass) {
  const auto& getter = has_event_reasons_ ? pass.lib.nvmlDeviceGetSupportedClocksEventReasons
                                          : pass.lib.nvmlDeviceGetSupportedClocksThrottleReasons;
  unsigned long long supported = 0;
  Reading reading;
  if (pass.get(reading, getter, pass.handle, &supported) && supported != 0) supported_ = supported;
}

// A bit is looked at one by one so that each keeps its series whatever others come with it.
void ThrottleReasons::name_new_bits(Pass& pass, unsigned long long mask) {
  for (unsigned long long rest = mask & ~named_; rest != 0; rest &= rest - 1) {
    const unsigned long long bit = 1ULL << static_cast<unsigned>(std::countr_zero(rest));
    char name[32];
    std::snprintf(name, sizeof name, "unknown_0x%llx", bit);
    causes_.push_back(
        {{bit, {}, false, false, false, true}, cause_facet(pass.context.entities, gpu_, name)});
    named_ |= bit;
  }
}

void ThrottleReasons::read(Pass& pass) {
  unsigned long long mask = 0;
  if (!read_mask(pass, mask)) {
    if (!mask_.wanted() && !told_) {
      log_info("throttle reasons are not supported",
               {{"gpu", pass.context.entities.attribute(gpu_, "gpu.uuid")}});
      told_ = true;
    }
    return;
  }
  if (first_) read_supported(pass);
  name_new_bits(pass, mask);

  ThrottleCause buckets{};
  for (Cause& cause : causes_) {
    const bool active = (mask & cause.what.bit) != 0;
    if (active && !cause.active && !first_) ++cause.events;
    cause.active = active;
    buckets.power |= active && cause.what.power;
    buckets.thermal |= active && cause.what.thermal;
    buckets.software |= active && cause.what.software;
    buckets.hardware |= active && cause.what.hardware;
    if (!active && (supported_ & cause.what.bit) == 0 && cause.events == 0) continue;
    pass.add({Metric::gpu_throttle_reason, cause.entity}, active ? 1 : 0);
    pass.add({Metric::gpu_throttle_events, cause.entity}, static_cast<double>(cause.events));
  }
  pass.add(mask_[1], buckets.power ? 1 : 0);
  pass.add(mask_[2], buckets.thermal ? 1 : 0);
  pass.add(mask_[3], buckets.software ? 1 : 0);
  pass.add(mask_[4], buckets.hardware ? 1 : 0);
  first_ = false;
}

ThrottleTime::ThrottleTime(EntityTable& entities, EntityId gpu) {
  for (size_t i = 0; i < kThrottleCounters.size(); ++i) {
    const ThrottleCounter& counter = kThrottleCounters[i];
    readings_[i] = {{Metric::gpu_throttle_time, cause_facet(entities, gpu, counter.cause)}};
    fields_.add(counter.field, 0, kThrottleCounterSeconds, {});
  }
}

void ThrottleTime::read(Pass& pass) {
  fields_.read(pass);
  for (size_t i = 0; i < kThrottleCounters.size() && !pass.halted(); ++i) {
    if (fields_[i].fresh) {
      readings_[i].succeeded();
      pass.add(readings_[i][0], fields_[i].value);
    }
    if (fields_[i].reading.wanted()) continue;
    if (kThrottleCounters[i].policy == kNoPolicy) {
      pass.unsupported(readings_[i], "no such counter in this driver or GPU");
      continue;
    }
    abi::ViolationTime violation{};
    if (pass.get(readings_[i], pass.lib.nvmlDeviceGetViolationStatus, pass.handle,
                 static_cast<abi::PerfPolicy>(kThrottleCounters[i].policy), &violation)) {
      pass.add(readings_[i][0],
               kThrottleCounterSeconds * static_cast<double>(violation.violation_time_ns));
    }
  }
}

}  // namespace warpsight::nvml
