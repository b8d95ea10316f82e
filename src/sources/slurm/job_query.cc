#include "sources/slurm/job_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "sources/slurm/job_json.h"
#include "sources/slurm/job_text.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr std::string_view kUnknownJob = "Invalid job id";

std::vector<Job> only(std::vector<Job> jobs, std::span<const uint64_t> wanted) {
  std::erase_if(jobs,
                [&](const Job& job) { return std::ranges::find(wanted, job.id) == wanted.end(); });
  return jobs;
}

class SqueueQuery final : public JobQuery {
 public:
  SqueueQuery(SlurmCommand command, std::string node)
      : command_(std::move(command)), node_(std::move(node)) {}

  std::string_view evidence() const override { return "squeue"; }
  std::string question(uint64_t job) const override {
    return fmt::format("{}, job {}", shown(kQuestion), job);
  }
  size_t at_once() const override { return std::numeric_limits<size_t>::max(); }

  Result<std::vector<Job>> look_up(std::span<const uint64_t> jobs) override {
    auto all = ask();
    if (!all) return all;
    return only(std::move(*all), jobs);
  }

  Result<std::vector<JobRun>> list() override {
    const auto all = ask();
    if (!all) return tl::unexpected(all.error());
    return runs_of(*all);
  }

 private:
  static inline const std::vector<std::string> kQuestion = {"squeue", "--json"};

  Result<std::vector<Job>> ask() {
    const auto text = command_.ask(kQuestion);
    if (!text) return tl::unexpected(text.error());
    auto jobs = parse_job_json(parser_, *text, node_);
    if (!jobs) {
      return fail(fmt::format("{}: {}", shown(kQuestion), jobs.error().message),
                  "it takes Slurm 21.08 or newer; set sources.slurm.query to scontrol");
    }
    return jobs;
  }

  SlurmCommand command_;
  std::string node_;
  JsonText parser_;
};

class ScontrolQuery final : public JobQuery {
 public:
  ScontrolQuery(SlurmCommand command, std::string node)
      : command_(command), node_(node), squeue_(std::move(command), std::move(node)) {}

  std::string_view evidence() const override { return "scontrol"; }
  std::string question(uint64_t job) const override { return shown(argv(job)); }
  // Not every release takes a list of jobs.
  size_t at_once() const override { return 1; }

  Result<std::vector<Job>> look_up(std::span<const uint64_t> jobs) override {
    std::vector<Job> found;
    for (const uint64_t job : jobs) {
      const auto said = command_.run(argv(job));
      if (!said) return tl::unexpected(said.error());
      if (!said->status.success()) {
        if (said->errors.find(kUnknownJob) != std::string::npos) continue;
        return tl::unexpected(SlurmCommand::explain(argv(job), *said));
      }
      JobText text = parse_job_text(said->output, job, node_);
      if (text.kind == JobTextKind::clear) found.push_back(std::move(text.job));
      if (text.kind != JobTextKind::ambiguous) continue;
      // JSON says where a name ends, whatever is in it.
      auto clear = squeue_.look_up(std::span(&job, 1));
      if (!clear) return clear;
      std::ranges::move(*clear, std::back_inserter(found));
    }
    return found;
  }

  Result<std::vector<JobRun>> list() override {
    const auto text =
        command_.ask({"squeue", "--noheader", "--nodelist=" + node_,
                      "--states=RUNNING,SUSPENDED,COMPLETING,CONFIGURING", "--format=%A %S"});
    if (!text) return tl::unexpected(text.error());
    std::vector<JobRun> runs;
    std::string_view rest = *text;
    while (!rest.empty()) {
      std::string_view line = next_line(rest);
      const auto job = to_number<uint64_t>(next_word(line));
      if (job) runs.push_back(run_of(*job, trim(line)));
    }
    return runs;
  }

 private:
  static std::vector<std::string> argv(uint64_t job) {
    return {"scontrol", "show", "job", "-d", "-o", std::to_string(job)};
  }

  SlurmCommand command_;
  std::string node_;
  SqueueQuery squeue_;
};

}  // namespace

std::unique_ptr<JobQuery> make_scontrol_query(SlurmCommand command, std::string node) {
  return std::make_unique<ScontrolQuery>(std::move(command), std::move(node));
}

std::unique_ptr<JobQuery> make_squeue_query(SlurmCommand command, std::string node) {
  return std::make_unique<SqueueQuery>(std::move(command), std::move(node));
}

JobRun run_of(uint64_t job, std::string_view start) {
  return {.job = job, .marks = {std::hash<std::string_view>()(start)}};
}

std::vector<JobRun> runs_of(std::span<const Job> jobs) {
  constexpr std::array<std::string_view, 4> kOnNode = {"RUNNING", "SUSPENDED", "COMPLETING",
                                                       "CONFIGURING"};
  std::vector<JobRun> runs;
  for (const Job& job : jobs) {
    const bool on_node = job.here && std::ranges::any_of(kOnNode, [&](std::string_view state) {
                           return job.state.find(state) != std::string::npos;
                         });
    if (on_node) runs.push_back(run_of(job.id, job.start));
  }
  return runs;
}

}  // namespace warpsight::slurm
