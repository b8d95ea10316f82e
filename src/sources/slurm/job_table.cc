#include "sources/slurm/job_table.h"

#include <algorithm>
#include <utility>

namespace warpsight::slurm {
namespace {

bool same_run(const JobRun& a, const JobRun& b) {
  return std::ranges::any_of(
      a.marks, [&](uint64_t mark) { return std::ranges::find(b.marks, mark) != b.marks.end(); });
}

bool holds_whole(const Job& job, unsigned index) {
  return std::ranges::any_of(job.gpus,
                             [&](const HeldGpu& gpu) { return gpu.index == index && !gpu.shared; });
}

}  // namespace

void JobTable::observe(std::vector<JobRun> runs, SteadyTime now) {
  std::map<uint64_t, Entry> current;
  for (JobRun& run : runs) {
    const auto before = jobs_.find(run.job);
    Entry entry;
    if (before != jobs_.end() && same_run(before->second.run, run)) {
      entry = std::move(before->second);
      if (run.empty && !entry.run.empty && entry.settled) {
        entry.settled = false;
        entry.due = now;
      }
    } else {
      entry.due = now;
    }
    entry.run = std::move(run);
    const uint64_t job = entry.run.job;
    current.insert_or_assign(job, std::move(entry));
  }
  jobs_ = std::move(current);
}

std::vector<uint64_t> JobTable::due(SteadyTime now, size_t limit) const {
  std::vector<std::pair<SteadyTime, uint64_t>> waiting;
  const auto gather = [&](bool settled) {
    for (const auto& [id, entry] : jobs_) {
      if (entry.settled == settled && entry.due <= now) waiting.emplace_back(entry.due, id);
    }
  };
  gather(false);
  if (waiting.empty() && now >= recheck_at_) gather(true);
  std::ranges::sort(waiting);
  if (waiting.size() > limit) waiting.resize(limit);
  std::vector<uint64_t> ids;
  ids.reserve(waiting.size());
  for (const auto& [since, id] : waiting) ids.push_back(id);
  return ids;
}

void JobTable::answered(std::span<const uint64_t> asked, std::vector<Job> jobs, SteadyTime now) {
  std::vector<uint64_t> fresh;
  for (const uint64_t id : asked) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) continue;
    Entry& entry = found->second;
    entry.told = true;
    if (entry.settled) recheck_at_ = now + kBetweenRechecks;
    const auto job = std::ranges::find(jobs, id, &Job::id);
    if (job == jobs.end()) {
      entry.known.reset();
    } else {
      if (!entry.known) fresh.push_back(id);
      entry.known = std::move(*job);
    }
    const bool idle_holder = entry.run.empty && entry.known && !entry.known->gpus.empty();
    entry.settled = entry.known && entry.known->settled() && !idle_holder;
    entry.asked = entry.settled ? 0 : entry.asked + 1;
    entry.due = now + (entry.settled ? kRecheck : retry_after(entry.asked));
  }
  for (const uint64_t id : fresh) recheck_holders(id, now);
}

void JobTable::unanswered(std::span<const uint64_t> asked, SteadyTime now) {
  for (const uint64_t id : asked) {
    const auto found = jobs_.find(id);
    if (found != jobs_.end()) found->second.due = now + retry_after(++found->second.asked);
  }
}

void JobTable::recheck_holders(uint64_t newcomer, SteadyTime now) {
  const std::optional<Job> job = jobs_.at(newcomer).known;
  if (!job) return;
  for (auto& [id, entry] : jobs_) {
    if (id == newcomer || !entry.settled) continue;
    const bool contested = std::ranges::any_of(job->gpus, [&](const HeldGpu& gpu) {
      return !gpu.shared && holds_whole(*entry.known, gpu.index);
    });
    if (!contested) continue;
    entry.settled = false;
    entry.due = now;
  }
}

Duration retry_after(int failures) {
  constexpr int kMost = 60;
  const int exponent = std::clamp(failures - 1, 0, 6);
  return std::chrono::seconds{std::min(kMost, 1 << exponent)};
}

}  // namespace warpsight::slurm
