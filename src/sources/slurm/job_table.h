// The jobs on this node: which are there, what is known of each, and which to ask about when.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.h"
#include "sources/slurm/job.h"
#include "sources/slurm/job_cgroups.h"

namespace warpsight::slurm {

class JobTable {
 public:
  struct Entry {
    JobRun run;
    std::optional<Job> known = {};  // as last told
    SteadyTime due = {};            // when to ask about it
    bool settled = false;           // all is known: it is only asked whether that still holds
    int asked = 0;                  // in vain, or too early
    bool told = false;              // Slurm has answered about it, be it that it knows none
  };

  // The jobs that are on the node now. One that is new, runs anew under its old number, or whose
  // last process has ended is to be asked about at once; one that is no more is forgotten.
  void observe(std::vector<JobRun> runs, SteadyTime now);

  // A job may have ended and left its cgroup behind: how often one of which all is known is asked
  // about again, and how much apart two of them are at least.
  static constexpr Duration kRecheck = std::chrono::minutes{5};
  static constexpr Duration kBetweenRechecks = std::chrono::seconds{10};

  // At most `limit` of the jobs to ask about now, those that wait longest first.
  std::vector<uint64_t> due(SteadyTime now, size_t limit) const;

  // What Slurm said to a question about `asked`. What was known of those that it leaves out is
  // forgotten. Of those whose GPUs are not known yet, or that hold some and have no process, it is
  // to be asked again, later each time. A job that holds a GPU that another was given since is
  // asked about again at once.
  void answered(std::span<const uint64_t> asked, std::vector<Job> jobs, SteadyTime now);

  // Nothing was said to that question: others have their turn before it is put again.
  void unanswered(std::span<const uint64_t> asked, SteadyTime now);

  // By job id.
  const std::map<uint64_t, Entry>& jobs() const { return jobs_; }

 private:
  void recheck_holders(uint64_t newcomer, SteadyTime now);

  std::map<uint64_t, Entry> jobs_;
  SteadyTime recheck_at_{};
};

// 1, 2, 4... seconds, at most a minute.
Duration retry_after(int failures);

}  // namespace warpsight::slurm
