#include "ui/api/now_processes.h"

#include <algorithm>
#include <functional>

namespace warpsight {

ProcessCollector::ProcessCollector(const EntityTable& entities) : entities_(entities) {
  entities.for_each(EntityKind::process, [&](EntityId id, const Entity& entity) {
    ProcessNow process{entity.parent, {}, {}};
    for (const Attribute& a : entity.attributes) {
      if (a.key == "process.pid") process.pid = a.value;
      if (a.key == "process.executable.name") process.name = a.value;
    }
    process_of_.emplace(id.bits, processes_.size());
    processes_.push_back(std::move(process));
  });
}

ProcessNow* ProcessCollector::find(EntityId id) {
  const auto found = process_of_.find(id.bits);
  return found == process_of_.end() ? nullptr : &processes_[found->second];
}

void ProcessCollector::take(const Series& series, double value) {
  if (series.metric == Metric::gpu_process_memory_used) {
    if (ProcessNow* process = find(series.entity)) process->memory = value;
  } else if (series.metric == Metric::gpu_process_utilization) {
    if (entities_.attribute(series.entity, "gpu.task.type") != "compute") return;
    if (ProcessNow* process = find(entities_.wearer(series.entity))) process->utilization = value;
  }
}

std::vector<ProcessNow> ProcessCollector::finish() {
  std::ranges::stable_sort(processes_, std::greater{},
                           [](const ProcessNow& p) { return p.memory.value_or(0); });
  return std::move(processes_);
}

}  // namespace warpsight
