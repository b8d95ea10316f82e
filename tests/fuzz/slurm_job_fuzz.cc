// What scontrol, squeue and slurmrestd say of jobs: whatever the bytes, what is found is bounded,
// in order, and of the job that was asked for.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sources/slurm/job_json.h"
#include "sources/slurm/job_text.h"

namespace {

using warpsight::slurm::HeldGpu;
using warpsight::slurm::Job;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Job& job) {
  require(job.gpus.size() <= 1024);
  require(std::ranges::is_sorted(job.gpus, {}, &HeldGpu::index));
  require(std::ranges::adjacent_find(job.gpus, {}, &HeldGpu::index) == job.gpus.end());
  for (const auto& attribute : attributes_of(job, "cluster")) {
    require(!attribute.value.empty());
    require(attribute.value.find('\n') == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = warpsight::slurm::parse_job_text(text, 2, "vm");
  if (read.kind == warpsight::slurm::JobTextKind::clear) {
    require(read.job.id == 2);
    check(read.job);
  }
  static warpsight::JsonText parser;
  const auto jobs = warpsight::slurm::parse_job_json(parser, text, "vm");
  if (!jobs) return 0;
  for (const Job& job : *jobs) {
    require(job.id != 0);
    check(job);
  }
  return 0;
}
