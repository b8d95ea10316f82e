// The processes on GPUs, and what is known of each. Follows the entities; reads /proc only for
// those that came, and again for those that could not be read.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "core/clock.h"
#include "core/entity.h"
#include "sources/processes/proc_process.h"
#include "sources/processes/slurm_cgroups.h"

namespace warpsight::processes {

struct KnownProcess {
  enum class State : uint8_t {
    read,
    missing,      // not to be seen in /proc
    denied,       // /proc refuses
    failed,       // /proc says what makes no sense
    unconfirmed,  // /proc speaks of other processes than the driver
  };
  State state = State::missing;
  ProcessFacts facts = {};  // when read
  SteadyTime retry_at = {};
  unsigned attempts = 0;
};

struct ProcessTableSettings {
  std::string root = "/";
  // Process numbers are the machine's, hence the driver's. Without it no process is known: one of
  // the same number is another.
  bool trust_pids = true;
};

// For one thread.
class ProcessTable {
 public:
  static constexpr size_t kMaxProcesses = 4096;
  // How often it is made sure that a known process is still there, while the driver lists the same.
  static constexpr Duration kConfirm = std::chrono::seconds{5};

  // References outlive it.
  ProcessTable(const Clock& clock, const EntityTable& entities, ProcessTableSettings settings);

  // True when something is not as it was.
  bool update();

  const std::map<pid_t, KnownProcess>& processes() const { return processes_; }
  // Files opened so far.
  uint64_t files_read() const { return reader_.files_read(); }

 private:
  bool follow_entities();
  bool follow_slurm();
  bool forget_ended();
  bool read(pid_t pid, KnownProcess& process);
  KnownProcess::State look(pid_t pid, ProcessFacts& facts);

  const Clock& clock_;
  const EntityTable& entities_;
  ProcessTableSettings settings_;
  ProcessReader reader_;
  SlurmCgroups slurm_cgroups_;
  uint64_t seen_changes_ = 0;
  SteadyTime confirm_at_{};
  std::map<pid_t, KnownProcess> processes_;
};

}  // namespace warpsight::processes
