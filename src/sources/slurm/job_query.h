// Asks Slurm about jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sources/slurm/job.h"
#include "sources/slurm/job_cgroups.h"
#include "sources/slurm/slurm_command.h"

namespace warpsight::slurm {

class JobQuery {
 public:
  virtual ~JobQuery() = default;

  // How what it says is known: "scontrol", "squeue", "slurmrestd".
  virtual std::string_view evidence() const = 0;
  // For people: what is asked to find out about a job.
  virtual std::string question(uint64_t job) const = 0;

  // How many jobs one question may be about.
  virtual size_t at_once() const = 0;
  // What is known of the jobs asked for; one that Slurm does not know is left out.
  virtual Result<std::vector<Job>> look_up(std::span<const uint64_t> jobs) = 0;

  // The jobs that are on the node now.
  virtual Result<std::vector<JobRun>> list() = 0;
};

// `scontrol show job` for each job; `squeue` lists them.
std::unique_ptr<JobQuery> make_scontrol_query(SlurmCommand command, std::string node);

// `squeue --json` for all jobs at once.
std::unique_ptr<JobQuery> make_squeue_query(SlurmCommand command, std::string node);

// A run of a job, told from others by when it was started.
JobRun run_of(uint64_t job, std::string_view start);

// The runs among `jobs` that are on the node and have not ended.
std::vector<JobRun> runs_of(std::span<const Job> jobs);

}  // namespace warpsight::slurm
