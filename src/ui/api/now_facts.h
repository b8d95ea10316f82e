// What `now` says of a snapshot, taken out of it while the registry is held.
#pragma once

#include <optional>
#include <vector>

#include "core/registry.h"
#include "ui/api/now_engines.h"
#include "ui/api/now_processes.h"
#include "ui/device_status.h"

namespace warpsight {

struct NowFacts {
  Time time{};  // zero before the first publish
  std::vector<DeviceStatus> devices;
  std::vector<ProcessNow> processes;
  std::vector<EngineNow> engines;

  std::optional<double> cpu;  // busy share: every mode but idle and iowait
  std::optional<double> memory;
  std::optional<double> load;
  std::optional<double> gpus;  // their mean utilisation

  std::optional<double> expected;  // GPUs, of all vendors
  std::optional<double> seen;
  std::optional<double> lost;
};

NowFacts now_facts(const Registry& registry, const EntityTable& entities);

}  // namespace warpsight
