#include "sources/processes/proc_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "platform/fd.h"
#include "platform/file.h"
#include "sources/sysfs/directory.h"
#include "sources/sysfs/text.h"

namespace warpsight::processes {
namespace {

using Outcome = ProcessReader::Outcome;

constexpr size_t kSmall = size_t{64} * 1024;
constexpr size_t kMaxGpuList = 256;

Outcome outcome_of(int error) {
  switch (error) {
    case 0: return Outcome::read;
    case ENOENT:
    case ESRCH: return Outcome::missing;
    case EACCES:
    case EPERM: return Outcome::denied;
    default: return Outcome::failed;
  }
}

// The beginning of the file, at most `limit` bytes. Returns errno.
int read_beginning(const std::string& path, size_t limit, std::string& out) {
  out.clear();
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return errno;
  std::array<char, 8192> chunk;
  while (out.size() < limit) {
    const ssize_t size = ::read(fd.get(), chunk.data(), std::min(chunk.size(), limit - out.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    if (size == 0) break;
    out.append(chunk.data(), static_cast<size_t>(size));
  }
  return 0;
}

// Steps that are no srun have numbers at the end of the range.
std::string step_name(std::string_view text) {
  if (text == "4294967292") return "extern";
  if (text == "4294967291") return "batch";
  if (text == "4294967290") return "interactive";
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits && text.size() <= 10 ? std::string(text) : std::string();
}

// Of some owner, even where its cgroups do not agree on which.
bool is_held(const CgroupOwner& cgroup) {
  return !cgroup.slurm_job.empty() || cgroup.kubernetes || !cgroup.container_id.empty() ||
         cgroup.contradictory;
}

bool is_gpu_list(std::string_view text) {
  return text.size() <= kMaxGpuList &&
         text.find_first_not_of("0123456789,-") == std::string_view::npos;
}

}  // namespace

SlurmEnvironment parse_slurm_environment(std::string_view bytes) {
  std::string_view job;
  std::string_view old_job;  // its older name
  std::string_view step;
  std::string_view job_gpus;
  std::string_view step_gpus;
  const auto take = [](std::string_view entry, std::string_view name, std::string_view& value) {
    // The first of several is what a program sees.
    if (value.empty() && entry.size() > name.size() && entry.starts_with(name) &&
        entry[name.size()] == '=') {
      value = entry.substr(name.size() + 1);
    }
  };
  while (!bytes.empty()) {
    const size_t end = bytes.find('\0');
    const std::string_view entry = bytes.substr(0, end);
    // One without its end was cut off.
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (!entry.starts_with("SLURM_")) continue;
    take(entry, "SLURM_JOB_ID", job);
    take(entry, "SLURM_JOBID", old_job);
    take(entry, "SLURM_STEP_ID", step);
    take(entry, "SLURM_JOB_GPUS", job_gpus);
    take(entry, "SLURM_STEP_GPUS", step_gpus);
  }
  if (job.empty()) job = old_job;
  if (!is_slurm_job(job)) return {};
  const std::string_view gpus = step_gpus.empty() ? job_gpus : step_gpus;
  return {std::string(job), step_name(step), is_gpu_list(gpus) ? std::string(gpus) : ""};
}

std::string ProcessReader::path(pid_t pid, std::string_view file) const {
  return under_root(root_, fmt::format("/proc/{}/{}", pid, file));
}

Outcome ProcessReader::load(pid_t pid, std::string_view file, size_t limit) {
  ++files_read_;
  return outcome_of(read_beginning(path(pid, file), limit, buffer_));
}

// "12 (name, which may hold anything) S 1 ..."; the threads are the 20th of all, the start time the
// 22nd. A zombie has ended, if nobody has asked how; one whose other threads go on has not.
Outcome ProcessReader::read_stat(pid_t pid, Stat& stat) {
  constexpr int kWordsBeforeThreads = 16;
  if (const Outcome outcome = load(pid, "stat", kSmall); outcome != Outcome::read) return outcome;
  std::string_view rest = buffer_;
  const size_t open = rest.find('(');
  const size_t close = rest.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return buffer_.empty() ? Outcome::missing : Outcome::failed;
  }
  stat.name = rest.substr(open + 1, close - open - 1);
  rest.remove_prefix(close + 1);
  const std::string_view state = next_word(rest);
  for (int word = 0; word < kWordsBeforeThreads; ++word) next_word(rest);
  const auto threads = next_number(rest);
  next_word(rest);
  const auto start = next_number(rest);
  if (!threads || !start) return Outcome::failed;
  if ((state == "Z" || state == "X") && *threads <= 1) return Outcome::missing;
  stat.start = *start;
  return Outcome::read;
}

// "Uid:	real	effective	saved	file system".
Outcome ProcessReader::read_uid(pid_t pid, uint32_t& uid) {
  if (const Outcome outcome = load(pid, "status", kSmall); outcome != Outcome::read) {
    return outcome;
  }
  std::string_view text = buffer_;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!line.starts_with("Uid:")) continue;
    next_word(line);
    next_word(line);
    const auto effective = to_number<uint32_t>(next_word(line));
    if (!effective) return Outcome::failed;
    uid = *effective;
    return Outcome::read;
  }
  return Outcome::failed;
}

Outcome ProcessReader::read_cgroup(pid_t pid, CgroupOwner& owner) {
  const Outcome outcome = load(pid, "cgroup", kSmall);
  if (outcome == Outcome::read) owner = parse_cgroup(buffer_);
  return outcome;
}

void ProcessReader::read_environment(pid_t pid, ProcessFacts& facts) {
  const Outcome outcome = load(pid, "environ", kMaxEnvironment);
  facts.environment_denied = outcome == Outcome::denied;
  if (outcome == Outcome::read) facts.slurm = parse_slurm_environment(buffer_);
  // It may hold secrets, and it may be large.
  buffer_ = {};
}

// By the file that it runs, not by the name that a process gives itself. Whoever may write files
// can call one so: that is believed outside jobs, pods and containers alone, where the lookup shows
// it.
bool ProcessReader::is_mps_program(pid_t pid) const {
  const std::string program = link_target_name(path(pid, "exe"));
  return program == "nvidia-cuda-mps-server" || program == "nvidia-cuda-mps-control";
}

Outcome ProcessReader::read(pid_t pid, ProcessFacts& facts, Environment environment) {
  facts = {};
  Stat before;
  if (const Outcome outcome = read_stat(pid, before); outcome != Outcome::read) return outcome;
  facts.start = before.start;
  facts.name = std::move(before.name);
  if (const Outcome outcome = read_cgroup(pid, facts.cgroup); outcome != Outcome::read) {
    return outcome;
  }
  if (const Outcome outcome = read_uid(pid, facts.uid); outcome != Outcome::read) return outcome;
  if (!is_held(facts.cgroup)) {
    if (environment == Environment::believe) read_environment(pid, facts);
    facts.mps_server = facts.slurm.job.empty() && is_mps_program(pid);
  }
  // Another one may have taken the number in between.
  const auto after = start_time(pid);
  return after == facts.start ? Outcome::read : Outcome::missing;
}

std::optional<uint64_t> ProcessReader::start_time(pid_t pid) {
  Stat stat;
  if (read_stat(pid, stat) != Outcome::read) return std::nullopt;
  return stat.start;
}

}  // namespace warpsight::processes
