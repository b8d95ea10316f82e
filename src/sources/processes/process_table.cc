#include "sources/processes/process_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/log.h"
#include "sources/sysfs/text.h"

namespace warpsight::processes {
namespace {

using State = KnownProcess::State;

Duration retry_delay(unsigned attempts) {
  constexpr unsigned kMostDoublings = 6;
  return std::min<Duration>(std::chrono::seconds{1} * (1U << std::min(attempts, kMostDoublings)),
                            std::chrono::minutes{1});
}

State state_of(ProcessReader::Outcome outcome) {
  switch (outcome) {
    case ProcessReader::Outcome::read: return State::read;
    case ProcessReader::Outcome::missing: return State::missing;
    case ProcessReader::Outcome::denied: return State::denied;
    case ProcessReader::Outcome::failed: return State::failed;
  }
  return State::failed;
}

pid_t pid_of(const Entity& entity) {
  for (const Attribute& attribute : entity.attributes) {
    if (attribute.key == "process.pid") return to_number<pid_t>(attribute.value).value_or(0);
  }
  return 0;
}

}  // namespace

ProcessTable::ProcessTable(const Clock& clock, const EntityTable& entities,
                           ProcessTableSettings settings)
    : clock_(clock),
      entities_(entities),
      settings_(std::move(settings)),
      reader_(settings_.root),
      slurm_cgroups_(clock, settings_.root) {}

bool ProcessTable::update() {
  bool changed = false;
  // Before looking: what comes meanwhile is looked at by the next update.
  const uint64_t changes = entities_.changes(EntityKind::process);
  const bool listed_anew = changes != seen_changes_;
  if (listed_anew) changed = follow_entities();
  seen_changes_ = changes;
  const SteadyTime now = clock_.steady();
  if (listed_anew || now >= confirm_at_) {
    changed |= forget_ended();
    confirm_at_ = now + kConfirm;
  }
  changed |= follow_slurm();
  for (auto& [pid, process] : processes_) {
    if (process.state == State::read || now < process.retry_at) continue;
    changed |= read(pid, process);
  }
  return changed;
}

bool ProcessTable::follow_entities() {
  std::set<pid_t> there;
  size_t left_out = 0;
  entities_.for_each(EntityKind::process, [&](EntityId, const Entity& entity) {
    const pid_t pid = pid_of(entity);
    if (pid <= 0) return;
    if (there.size() < kMaxProcesses) {
      there.insert(pid);
    } else if (!there.contains(pid)) {
      ++left_out;
    }
  });
  if (left_out != 0) {
    log_limited(LogLevel::warn, "processes", "too many processes to find the owners of",
                {{"limit", kMaxProcesses}, {"left_out", left_out}});
  }
  const bool changed =
      std::erase_if(processes_, [&](const auto& one) { return !there.contains(one.first); }) > 0;
  for (const pid_t pid : there) processes_.try_emplace(pid);
  return changed;
}

// The number of one that has ended may have gone to another process.
bool ProcessTable::forget_ended() {
  bool changed = false;
  for (auto& [pid, process] : processes_) {
    if (process.state != State::read || reader_.start_time(pid) == process.facts.start) continue;
    process = {};
    changed = true;
  }
  return changed;
}

// Once Slurm has cgroups, environments say nothing any more.
bool ProcessTable::follow_slurm() {
  if (processes_.empty() || !slurm_cgroups_.there()) return false;
  bool changed = false;
  for (auto& [pid, process] : processes_) {
    changed = changed || !process.facts.slurm.job.empty();
    process.facts.slurm = {};
  }
  return changed;
}

bool ProcessTable::read(pid_t pid, KnownProcess& process) {
  const bool first = process.attempts == 0;
  const State before = process.state;
  process.state = look(pid, process.facts);
  process.retry_at = clock_.steady() + retry_delay(process.attempts);
  ++process.attempts;
  return first || process.state != before;
}

State ProcessTable::look(pid_t pid, ProcessFacts& facts) {
  using Environment = ProcessReader::Environment;
  if (!settings_.trust_pids) return State::unconfirmed;
  return state_of(reader_.read(
      pid, facts, slurm_cgroups_.there() ? Environment::ignore : Environment::believe));
}

}  // namespace warpsight::processes
