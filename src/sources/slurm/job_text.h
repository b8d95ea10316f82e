// Reads what `scontrol show job -d -o` writes.
#pragma once

#include <cstdint>
#include <string_view>

#include "sources/slurm/job.h"

namespace warpsight::slurm {

enum class JobTextKind : uint8_t {
  none,       // the job is not there
  clear,      // it is there
  ambiguous,  // a name that holds words of Slurm's own leaves it open what the text says
};

struct JobText {
  JobTextKind kind = JobTextKind::none;
  Job job = {};
};

// The job of that number, as `node` has to do with it, among those the text tells of: for the
// first task of an array scontrol shows all of its tasks.
JobText parse_job_text(std::string_view text, uint64_t id, std::string_view node);

}  // namespace warpsight::slurm
