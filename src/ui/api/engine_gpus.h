// The GPUs of engines, from what was published.
#pragma once

#include "core/registry.h"
#include "ui/api/now_json.h"

namespace warpsight {

EngineGpus engine_gpus_of(const Registry& registry);

}  // namespace warpsight
