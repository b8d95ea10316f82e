#include "sources/engines/engine_gpus.h"

#include "sources/engines/discovery/process_tree.h"
#include "sources/sysfs/text.h"

namespace warpsight::engines {

void EngineGpus::look() {
  std::vector<EntityId> found;
  entities_.for_each(EntityKind::process, [&](EntityId id, const Entity&) { found.push_back(id); });
  processes_.clear();
  for (const EntityId id : found) {
    GpuProcess process{to_number<int>(entities_.attribute(id, "process.pid")).value_or(0),
                       entities_.attribute(id, "gpu.uuid"), entities_.attribute(id, "gpu.index")};
    if (process.pid > 0 && !process.uuid.empty()) processes_.push_back(std::move(process));
  }
}

void EngineGpus::tell(EntityId engine, int pid, Batch& out) const {
  for (const GpuProcess& process : processes_) {
    if (!descends_from(root_, process.pid, pid)) continue;
    const EntityId gpu = entities_.intern(
        EntityKind::facet, engine, {{"gpu.uuid", process.uuid}, {"gpu.index", process.index}});
    if (gpu) out.add(Metric::llm_engine_gpu, gpu, 1);
  }
}

}  // namespace warpsight::engines
