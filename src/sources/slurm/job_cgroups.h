// The jobs that run on this node, as the cgroups tell that Slurm made for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::slurm {

// A job that is on this node, and what marks this run of it: a job that is requeued and comes back
// shares no mark with its run before.
struct JobRun {
  uint64_t job = 0;
  std::vector<uint64_t> marks = {};
  // No process is in its cgroups: it has not begun, or has ended and left them behind.
  bool empty = false;
};

// In the order of their numbers. Nothing when Slurm has no cgroups here, which is not to say that
// it has no jobs.
std::optional<std::vector<JobRun>> list_job_cgroups(std::string_view root,
                                                    std::string_view node_name);

// Names of nodes whose cgroups are here, where Slurm was built to put them into the cgroups' names.
std::vector<std::string> nodes_with_cgroups(std::string_view root);

}  // namespace warpsight::slurm
