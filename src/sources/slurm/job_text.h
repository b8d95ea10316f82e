// Reads what `scontrol show job -d -o` writes.
#pragma once

#include <cstdint>
#include <string_view>

#include "sources/slurm/job.h"

namespace warpsight::slurm {

enum class JobTextKind : uint8_t {
  none,       // there is no text
  clear,      // it is of the job alone
  ambiguous,  // it is left open what of it Slurm says, and what a user who chose words of Slurm's
};

struct JobText {
  JobTextKind kind = JobTextKind::none;
  Job job = {};
};

// The job of that number, as `node` has to do with it. Slurm does not escape what users choose:
// a name with newlines in it looks like several jobs. So what scontrol shows for an array or a het
// job, which is all of its parts, is ambiguous too.
JobText parse_job_text(std::string_view text, uint64_t id, std::string_view node);

}  // namespace warpsight::slurm
