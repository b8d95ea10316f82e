// What /proc says of one process: when it began, whose it is, where it belongs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sources/processes/cgroup_path.h"

namespace warpsight::processes {

struct SlurmEnvironment {
  std::string job;   // empty: it is of no job
  std::string step;  // as in CgroupOwner
  // SLURM_STEP_GPUS, or SLURM_JOB_GPUS: as Slurm numbers them, which is not how the driver does.
  std::string gpus;

  friend bool operator==(const SlurmEnvironment&, const SlurmEnvironment&) = default;
};

// Of the bytes of /proc/PID/environ. What is no id is left out.
SlurmEnvironment parse_slurm_environment(std::string_view bytes);

struct ProcessFacts {
  uint64_t start = 0;  // in clock ticks since the machine started: with the pid it names a process
  std::string name;    // of the executable, at most 15 bytes, as the kernel keeps it
  uint32_t uid = 0;
  CgroupOwner cgroup;
  SlurmEnvironment slurm;  // only where it was asked for, and in no job, pod or container
  bool environment_denied = false;
  bool mps_server = false;  // it computes for others, and is in no job, pod or container

  friend bool operator==(const ProcessFacts&, const ProcessFacts&) = default;
};

// For one thread.
class ProcessReader {
 public:
  static constexpr size_t kMaxEnvironment = size_t{1} << 20;

  enum class Outcome : uint8_t {
    read,
    missing,  // no such process is to be seen
    denied,
    failed,  // what is there makes no sense
  };

  explicit ProcessReader(std::string root) : root_(std::move(root)) {}

  enum class Environment : uint8_t { ignore, believe };

  // All of it, of one and the same process. On another outcome `facts` is not to be used. Anybody
  // can write a job into an environment: believe it only where Slurm has no cgroups to tell.
  Outcome read(pid_t pid, ProcessFacts& facts, Environment environment);

  std::optional<uint64_t> start_time(pid_t pid);

  // Files opened so far.
  uint64_t files_read() const { return files_read_; }

 private:
  struct Stat {
    uint64_t start = 0;
    std::string name;
  };

  std::string path(pid_t pid, std::string_view file) const;
  Outcome load(pid_t pid, std::string_view file, size_t limit);
  Outcome read_stat(pid_t pid, Stat& stat);
  Outcome read_uid(pid_t pid, uint32_t& uid);
  Outcome read_cgroup(pid_t pid, CgroupOwner& owner);
  void read_environment(pid_t pid, ProcessFacts& facts);
  bool is_mps_program(pid_t pid) const;

  std::string root_;
  std::string buffer_;
  uint64_t files_read_ = 0;
};

}  // namespace warpsight::processes
