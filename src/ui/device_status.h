// The GPUs of a snapshot with the few values a person looks at first.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"

namespace warpsight {

// A value shown for a device: that of the metric's series on the device itself, or on the facet
// of it that has the attribute.
struct KeyMetric {
  Metric metric;
  std::string_view facet_key = {};
  std::string_view facet_value = {};
};

inline constexpr KeyMetric kKeyMetrics[] = {
    {Metric::gpu_utilization},
    {Metric::gpu_gr_engine_active},
    {Metric::gpu_sm_active},
    {Metric::gpu_memory_used},
    {Metric::gpu_memory_total},
    {Metric::gpu_temperature, "gpu.temperature.sensor", "edge"},
    {Metric::gpu_power_draw},
    {Metric::gpu_power_limit},
    {Metric::gpu_clock_frequency, "gpu.clock.type", "sm"},
    {Metric::gpu_throttle_power_active},
    {Metric::gpu_throttle_thermal_active},
    {Metric::gpu_xid_last_error_code},
    {Metric::gpu_driver_responsive},
};

struct DeviceStatus {
  EntityId entity;
  EntityId parent;  // of a MIG instance
  bool mig = false;
  std::vector<Attribute> attributes;
  std::array<std::optional<double>, std::size(kKeyMetrics)> values;

  std::optional<double> value(Metric metric) const;
  std::string_view attribute(std::string_view key) const;
};

// GPUs in the order of their index, each followed by its MIG instances.
std::vector<DeviceStatus> device_statuses(const Snapshot& snapshot, const EntityTable& entities);

}  // namespace warpsight
