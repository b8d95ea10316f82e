#include "sources/nvml/power.h"

#include <algorithm>

namespace warpsight::nvml {
namespace {

constexpr double kMilli = 0.001;  // NVML counts in mW and mJ
constexpr double kPercent = 0.01;

}  // namespace

Power::Power(EntityId gpu)
    : buffer_(abi::SamplingType::total_power, {Metric::gpu_power_draw, gpu}, kMilli),
      draw_{{Metric::gpu_power_draw, gpu}},
      limit_{{Metric::gpu_power_limit, gpu}},
      state_{{Metric::gpu_power_state, gpu}} {}

void Power::poll(Pass& pass) {
  unsigned milliwatts = 0;
  if (buffer_.must_poll() &&
      pass.get(draw_, pass.lib.nvmlDeviceGetPowerUsage, pass.handle, &milliwatts)) {
    pass.add(draw_[0], kMilli * milliwatts);
  }
  if (pass.get(limit_, pass.lib.nvmlDeviceGetEnforcedPowerLimit, pass.handle, &milliwatts)) {
    pass.add(limit_[0], kMilli * milliwatts);
  }
  unsigned state = 0;
  if (!pass.get(state_, pass.lib.nvmlDeviceGetPerformanceState, pass.handle, &state)) return;
  if (state == abi::kPstateUnknown) {
    state_.absent(Absence::failed, "performance state unknown", pass.out);
  } else {
    pass.add(state_[0], state);
  }
}

void Energy::read(Pass& pass) {
  unsigned long long millijoules = 0;
  if (pass.get(total_, pass.lib.nvmlDeviceGetTotalEnergyConsumption, pass.handle, &millijoules)) {
    pass.add(total_[0], kMilli * static_cast<double>(millijoules));
  }
}

void Fans::read(Pass& pass) {
  unsigned count = 1;
  const bool counted = pass.get(count_, pass.lib.nvmlDeviceGetNumFans, pass.handle, &count);
  if (counted && count == 0) {
    pass.unsupported(speed_, "no fan of its own");
    return;
  }
  unsigned highest = 0;
  for (unsigned fan = 0; fan < std::min(count, 16U); ++fan) {
    unsigned percent = 0;
    const bool read =
        pass.lib.nvmlDeviceGetFanSpeed_v2.exists()
            ? pass.get(speed_, pass.lib.nvmlDeviceGetFanSpeed_v2, pass.handle, fan, &percent)
            : pass.get(speed_, pass.lib.nvmlDeviceGetFanSpeed, pass.handle, &percent);
    if (!read) return;
    highest = std::max(highest, percent);
  }
  pass.add(speed_[0], kPercent * highest);
}

}  // namespace warpsight::nvml
