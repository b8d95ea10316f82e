#include "sources/nvml/temperature.h"

namespace warpsight::nvml {
namespace {

enum Threshold : size_t { slowdown, shutdown, max_operating, threshold_count };

EntityId sensor(EntityTable& entities, EntityId gpu, std::string_view name) {
  return facet(entities, gpu, {{"gpu.temperature.sensor", name}});
}

EntityId threshold(EntityTable& entities, EntityId gpu, std::string_view name) {
  return facet(entities, gpu, {{"gpu.temperature.threshold", name}});
}

// Anything else is a T.Limit threshold or a placeholder.
bool plausible_limit(unsigned celsius) { return celsius >= 30 && celsius <= 150; }

}  // namespace

Temperature::Temperature(EntityTable& entities, EntityId gpu)
    : die_{{Metric::gpu_temperature, sensor(entities, gpu, "edge")}} {
  const EntityId slow = threshold(entities, gpu, "slowdown");
  const EntityId shut = threshold(entities, gpu, "shutdown");
  const EntityId most = threshold(entities, gpu, "max_operating");
  memory_.add(abi::field::kMemoryTemperature, 0, 1,
              {{Metric::gpu_temperature, sensor(entities, gpu, "memory")}});
  margin_ = {{Metric::gpu_temperature_margin, slow},
             {Metric::gpu_temperature_margin, shut},
             {Metric::gpu_temperature_margin, most}};
  thresholds_.add(abi::field::kSlowdownMargin, 0, 1, {});
  thresholds_.add(abi::field::kShutdownMargin, 0, 1, {});
  thresholds_.add(abi::field::kGpuMaxMargin, 0, 1, {});
  limits_ = {{{abi::TemperatureThreshold::slowdown, {{Metric::gpu_temperature_limit, slow}}},
              {abi::TemperatureThreshold::shutdown, {{Metric::gpu_temperature_limit, shut}}},
              {abi::TemperatureThreshold::gpu_max, {{Metric::gpu_temperature_limit, most}}}}};
}

void Temperature::read_die(Pass& pass) {
  abi::TemperatureV1 temperature{};
  temperature.version = abi::kTemperatureV1;
  temperature.sensor = abi::TemperatureSensor::gpu;
  if (pass.get_newer(has_versioned_call_, die_, pass.lib.nvmlDeviceGetTemperatureV, pass.handle,
                     &temperature)) {
    pass.add(die_[0], temperature.celsius);
  }
  if (has_versioned_call_) return;
  unsigned celsius = 0;
  if (pass.get(die_, pass.lib.nvmlDeviceGetTemperature, pass.handle, abi::TemperatureSensor::gpu,
               &celsius)) {
    pass.add(die_[0], celsius);
  }
}

void Temperature::read_margins(Pass& pass) {
  memory_.read(pass);
  FieldGroup::Item& memory = memory_[0];
  if (memory.fresh && memory.value > 0) {
    pass.add(memory.reading[0], memory.value);
  } else if (memory.fresh) {
    // How several drivers say that the board has no such sensor.
    pass.unsupported(memory.reading, "no memory sensor (the driver says 0)");
  }

  abi::MarginTemperature margin{};
  margin.version = abi::kMarginTemperatureV1;
  if (!pass.get(margin_, pass.lib.nvmlDeviceGetMarginTemperature, pass.handle, &margin)) return;
  for (size_t i = 0; i < threshold_count; ++i) {
    if (thresholds_[i].reading.worked()) {
      pass.add(margin_[i], margin.celsius - thresholds_[i].value);
    } else if (i == slowdown) {
      pass.add(margin_[i], margin.celsius);
    }
  }
}

void Temperature::read_limits(Pass& pass) {
  thresholds_.read(pass);
  for (Limit& limit : limits_) {
    unsigned celsius = 0;
    if (!pass.get(limit.reading, pass.lib.nvmlDeviceGetTemperatureThreshold, pass.handle,
                  limit.threshold, &celsius)) {
      continue;
    }
    if (plausible_limit(celsius)) {
      pass.add(limit.reading[0], celsius);
    } else {
      pass.unsupported(limit.reading, "the driver gives margins only");
    }
  }
}

}  // namespace warpsight::nvml
