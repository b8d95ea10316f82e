// Whether Slurm keeps its jobs in cgroups on this machine.
#pragma once

#include <string>
#include <string_view>

#include "core/clock.h"

namespace warpsight::processes {

// For one thread. The groups may come when the first job does.
class SlurmCgroups {
 public:
  static constexpr Duration kLookAgain = std::chrono::minutes{1};

  // The clock outlives it.
  SlurmCgroups(const Clock& clock, std::string_view root);

  // As seen by the last look, which is at most kLookAgain old.
  bool there();

 private:
  const Clock& clock_;
  std::string groups_;
  SteadyTime look_at_ = SteadyTime::min();
  bool there_ = false;
};

}  // namespace warpsight::processes
