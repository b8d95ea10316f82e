#include "ui/api/engine_gpus.h"

namespace warpsight {

EngineGpus engine_gpus_of(const Registry& registry) {
  EngineGpus gpus;
  registry.inspect([&](const View& view) {
    view.for_each(Metric::llm_engine_gpu, [&](const Series& series) {
      gpus[view.entities().attribute(series.entity, "server.address")].push_back(
          view.entities().attribute(series.entity, "gpu.uuid"));
    });
  });
  return gpus;
}

}  // namespace warpsight
