// Which GPUs a serving engine runs on.
#pragma once

#include <string>
#include <vector>

#include "core/batch.h"
#include "core/entity.h"

namespace warpsight::engines {

// A process on a GPU is an engine's when it is the one that listens, or was started by it. Of an
// engine on another machine, or whose process cannot be seen, nothing is said.
class EngineGpus {
 public:
  // `root` is that of /proc.
  EngineGpus(EntityTable& entities, std::string root)
      : entities_(entities), root_(std::move(root)) {}

  // Looks at who is on which GPU now.
  void look();

  // Appends llm.engine.gpu for each GPU that `pid` and what it started are on; `engine` is what
  // llm.up is said of.
  void tell(EntityId engine, int pid, Batch& out) const;

 private:
  struct GpuProcess {
    int pid = 0;
    std::string uuid;
    std::string index;
  };

  EntityTable& entities_;
  std::string root_;
  std::vector<GpuProcess> processes_;
};

}  // namespace warpsight::engines
