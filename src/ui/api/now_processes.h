// The processes on the GPUs and MIG instances of a snapshot.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"

namespace warpsight {

struct ProcessNow {
  EntityId device;  // the GPU or MIG instance it is on
  std::string pid;
  std::string name;                        // may be empty
  std::optional<double> memory = {};       // bytes
  std::optional<double> utilization = {};  // of what computes
};

// Fed with every sample of one snapshot.
class ProcessCollector {
 public:
  explicit ProcessCollector(const EntityTable& entities);

  void take(const Series& series, double value);
  // Those that hold the most memory first.
  std::vector<ProcessNow> finish();

 private:
  ProcessNow* find(EntityId id);

  const EntityTable& entities_;
  std::vector<ProcessNow> processes_;
  std::unordered_map<uint32_t, size_t> process_of_;  // by entity
};

}  // namespace warpsight
