#include "ui/api/now_facts.h"

#include <algorithm>

namespace warpsight {
namespace {

void add(std::optional<double>& to, double value) { to = to.value_or(0) + value; }

void take_devices(NowFacts& facts, const std::string& state, double value) {
  if (state == "expected") add(facts.expected, value);
  if (state == "seen") add(facts.seen, value);
  if (state == "lost") add(facts.lost, value);
}

// A driver that hangs for all of its GPUs answers for none.
void take_driver(NowFacts& facts, const std::string& vendor) {
  const auto* const key =
      std::ranges::find(kKeyMetrics, Metric::gpu_driver_responsive, &KeyMetric::metric);
  for (DeviceStatus& device : facts.devices) {
    if (device.mig || device.attribute("gpu.vendor") != vendor) continue;
    device.values[static_cast<size_t>(key - std::begin(kKeyMetrics))] = 0;
  }
}

void take(NowFacts& facts, const EntityTable& entities, const Series& series, double value) {
  switch (series.metric) {
    case Metric::system_cpu_utilization: {
      const std::string mode = entities.attribute(series.entity, "cpu.mode");
      if (mode != "idle" && mode != "iowait") add(facts.cpu, value);
      return;
    }
    case Metric::system_memory_utilization: facts.memory = value; return;
    case Metric::system_cpu_load_average_1m: facts.load = value; return;
    case Metric::host_gpu_utilization_avg: facts.gpus = value; return;
    case Metric::gpu_devices:
      return take_devices(facts, entities.attribute(series.entity, "gpu.state"), value);
    case Metric::gpu_driver_responsive:
      if (value == 0 && !entities.ancestor(series.entity, EntityKind::gpu)) {
        take_driver(facts, entities.attribute(series.entity, "gpu.vendor"));
      }
      return;
    default: return;
  }
}

}  // namespace

NowFacts now_facts(const Registry& registry, const EntityTable& entities) {
  return registry.read([&](const Snapshot& snapshot) {
    NowFacts facts;
    facts.time = snapshot.time;
    facts.devices = device_statuses(snapshot, entities);
    ProcessCollector processes(entities);
    EngineCollector engines(entities);
    for (const Sample& sample : snapshot.samples) {
      const Series* series = snapshot.series_of(sample);
      if (series == nullptr) continue;
      take(facts, entities, *series, sample.value);
      processes.take(*series, sample.value);
      engines.take(*series, sample.value);
    }
    facts.processes = processes.finish();
    facts.engines = engines.finish();
    return facts;
  });
}

}  // namespace warpsight
