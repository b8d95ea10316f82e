// Reads jobs as `squeue --json`, `scontrol --json` and slurmrestd write them.
#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"
#include "sources/slurm/job.h"
#include "wire/json_text.h"

namespace warpsight::slurm {

// All jobs of the answer, as `node` has to do with them. Fails on what is no JSON and on an answer
// that holds nothing but an error.
Result<std::vector<Job>> parse_job_json(JsonText& parser, std::string_view text,
                                        std::string_view node);

}  // namespace warpsight::slurm
