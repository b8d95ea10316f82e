// Power, energy, temperatures, fans.
#include <cmath>

#include "simulate/nvml/api.h"
#include "simulate/nvml/readout.h"

namespace warpsight::nvml::abi {
namespace {

Return limit(Function function, Device device, unsigned* milliwatts, bool enforced) {
  const Call call = enter(function, device, milliwatts != nullptr);
  if (!call) return call.result;
  const double watts = enforced ? call.value(Reading::power_limit) : call.spec().power_limit;
  return call.put(milliwatts, watts * 1000);
}

bool has_absolute_limits(const Call& call) {
  return call.spec().limits != simulate::TemperatureLimits::margins;
}

}  // namespace

Return nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  const Call call = enter(Function::nvmlDeviceGetPowerUsage, device, milliwatts != nullptr);
  if (!call) return call.result;
  return call.put(milliwatts, call.spec().power_averaged ? simulate::average_milliwatts(call)
                                                         : simulate::instant_milliwatts(call));
}

Return nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* milliwatts) {
  return limit(Function::nvmlDeviceGetEnforcedPowerLimit, device, milliwatts, true);
}

Return nvmlDeviceGetPowerManagementLimit(Device device, unsigned* milliwatts) {
  return limit(Function::nvmlDeviceGetPowerManagementLimit, device, milliwatts, true);
}

Return nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* milliwatts) {
  return limit(Function::nvmlDeviceGetPowerManagementDefaultLimit, device, milliwatts, false);
}

Return nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* lowest,
                                                    unsigned* highest) {
  const bool good = lowest != nullptr && highest != nullptr;
  const Call call = enter(Function::nvmlDeviceGetPowerManagementLimitConstraints, device, good);
  if (!call) return call.result;
  call.put(lowest, call.spec().power_min_limit * 1000);
  return call.put(highest, call.spec().power_limit * 1000);
}

Return nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules) {
  const Call call =
      enter(Function::nvmlDeviceGetTotalEnergyConsumption, device, millijoules != nullptr);
  if (!call) return call.result;
  if (!call.spec().energy) return Return::not_supported;
  return call.put(millijoules, call.gpu->energy(call.t) * 1000);
}

Return nvmlDeviceGetTemperature(Device device, TemperatureSensor sensor, unsigned* celsius) {
  const bool good = celsius != nullptr && sensor == TemperatureSensor::gpu;
  const Call call = enter(Function::nvmlDeviceGetTemperature, device, good);
  return call ? call.put(celsius, call.value(Reading::temperature)) : call.result;
}

Return nvmlDeviceGetTemperatureV(Device device, TemperatureV1* temperature) {
  const bool good = temperature != nullptr;
  const Call call = enter(Function::nvmlDeviceGetTemperatureV, device, good);
  if (!call) return call.result;
  if (temperature->version != kTemperatureV1) return Return::argument_version_mismatch;
  if (temperature->sensor != TemperatureSensor::gpu) return Return::invalid_argument;
  temperature->celsius = call.garbage ? -32768 : simulate::to_int(call.value(Reading::temperature));
  return Return::success;
}

Return nvmlDeviceGetTemperatureThreshold(Device device, TemperatureThreshold threshold,
                                         unsigned* celsius) {
  constexpr unsigned kThresholds = 8;
  const bool good = celsius != nullptr && static_cast<unsigned>(threshold) < kThresholds;
  const Call call = enter(Function::nvmlDeviceGetTemperatureThreshold, device, good);
  if (!call) return call.result;
  if (!has_absolute_limits(call)) return Return::not_supported;
  const GpuSpec& spec = call.spec();
  int value = 0;
  switch (threshold) {
    case TemperatureThreshold::shutdown: value = spec.limit_shutdown; break;
    case TemperatureThreshold::slowdown: value = spec.limit_slowdown; break;
    case TemperatureThreshold::mem_max: value = spec.limit_memory; break;
    case TemperatureThreshold::gpu_max: value = spec.limit_operating; break;
  }
  return value == 0 ? Return::not_supported : call.put(celsius, value);
}

Return nvmlDeviceGetMarginTemperature(Device device, MarginTemperature* margin) {
  const Call call = enter(Function::nvmlDeviceGetMarginTemperature, device, margin != nullptr);
  if (!call) return call.result;
  if (margin->version != kMarginTemperatureV1) return Return::argument_version_mismatch;
  if (call.spec().limits == simulate::TemperatureLimits::absolute) return Return::not_supported;
  const double left = std::floor(call.value(Reading::temperature_margin));
  margin->celsius = call.garbage ? -32768 : simulate::to_int(left);
  return Return::success;
}

Return nvmlDeviceGetNumFans(Device device, unsigned* count) {
  const Call call = enter(Function::nvmlDeviceGetNumFans, device, count != nullptr);
  return call ? call.put(count, call.spec().fans) : call.result;
}

Return nvmlDeviceGetFanSpeed(Device device, unsigned* percent) {
  const Call call = enter(Function::nvmlDeviceGetFanSpeed, device, percent != nullptr);
  if (!call) return call.result;
  if (call.spec().fans == 0) return Return::not_supported;
  return call.put(percent, 100 * call.value(Reading::fan_speed));
}

Return nvmlDeviceGetFanSpeed_v2(Device device, unsigned fan, unsigned* percent) {
  const Call call = enter(Function::nvmlDeviceGetFanSpeed_v2, device, percent != nullptr);
  if (!call) return call.result;
  if (fan >= call.spec().fans) return Return::invalid_argument;
  return call.put(percent, 100 * call.value(Reading::fan_speed));
}

}  // namespace warpsight::nvml::abi
