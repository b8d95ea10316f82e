#include "sources/slurm/job_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "sources/slurm/hostlist.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

// Where the value of `key` begins, which stands at the beginning or after a blank.
size_t find_value(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != kNowhere; at = text.find(key, at + 1)) {
    if (at == 0 || is_blank(text[at - 1])) return at + key.size();
  }
  return kNowhere;
}

// Up to the next blank; empty when there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  const size_t at = find_value(text, key);
  if (at == kNowhere) return {};
  std::string_view rest = text.substr(at);
  const size_t end = rest.find_first_of(" \t\r\n");
  rest = rest.substr(0, end);
  return is_none(rest) ? std::string_view() : rest;
}

std::optional<uint64_t> number_of(std::string_view text, std::string_view key) {
  return to_number<uint64_t>(value_of(text, key));
}

// "alice(1001)".
std::string_view without_number(std::string_view user) {
  const std::string_view name = user.substr(0, user.rfind('('));
  return is_none(name) ? std::string_view() : name;
}

// The words that every record has once, in their order.
constexpr std::array<std::string_view, 10> kOnce = {
    "JobId=",    "JobName=",   "UserId=",    "Account=",  "QOS=",
    "JobState=", "StartTime=", "Partition=", "NodeList=", "MinCPUsNode="};

// The words of what a job was given on nodes, which come between NodeList and MinCPUsNode.
constexpr std::array<std::string_view, 3> kOfGroups = {"Nodes=", "GRES=", "GRES_IDX="};

bool begins_with_any(std::string_view word, std::span<const std::string_view> keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return word.starts_with(key); });
}

// Whether Slurm's own words are where it writes them, so that none of them can be the user's. What
// a user may choose stands both before (name, account, wckey) and after (command, comment) them.
bool is_as_written_by_slurm(std::string_view record) {
  size_t seen = 0;
  while (!record.empty()) {
    const std::string_view word = next_word(record);
    if (seen < kOnce.size() && word.starts_with(kOnce[seen])) {
      ++seen;
    } else if (begins_with_any(word, kOnce)) {
      return false;
    } else if (seen < kOnce.size() - 1 && begins_with_any(word, kOfGroups)) {
      return false;
    }
  }
  return seen == kOnce.size();
}

// The resources of one node, from the groups "Nodes=n[1-2] CPU_IDs=0 Mem=200 GRES=gpu:1(IDX:0)".
void read_groups(std::string_view groups, std::string_view node, Job& job) {
  bool ours = false;
  while (!groups.empty()) {
    const std::string_view word = next_word(groups);
    if (word.starts_with("MinCPUsNode=")) return;
    if (word.starts_with("Nodes=")) ours = position_in_hostlist(word.substr(6), node).has_value();
    if (!ours) continue;
    job.here = true;
    if (word.starts_with("GRES=")) job.gpus = held_gpus(word.substr(5));
    if (word.starts_with("GRES_IDX=")) job.gpus = held_gpus(word.substr(9));
  }
}

// Of a record that is as written by Slurm.
Job parse_record(std::string_view record, uint64_t id, std::string_view node) {
  const size_t name = find_value(record, "JobName=");
  const std::string_view head = record.substr(0, name);
  // The name may hold blanks and '='; it ends where the user's is told.
  constexpr std::string_view kUser = "UserId=";
  const size_t end = find_value(record, kUser) - kUser.size();
  const std::string_view body = record.substr(end);
  Job job;
  job.id = id;
  std::string_view title = record.substr(name, end - name);
  job.het_job = number_of(head, "HetJobId=");
  job.het_offset = number_of(head, "HetJobOffset=");
  if (job.het_job) title = title.substr(0, title.rfind(" HetJobIdSet="));
  job.array_job = number_of(head, "ArrayJobId=");
  job.array_task = number_of(head, "ArrayTaskId=");
  job.name = trim(title);
  job.user = without_number(value_of(body, "UserId="));
  job.account = value_of(body, "Account=");
  job.qos = value_of(body, "QOS=");
  job.state = value_of(body, "JobState=");
  job.start = value_of(body, "StartTime=");
  job.partition = value_of(body, "Partition=");
  job.here = position_in_hostlist(value_of(body, "NodeList="), node).has_value();
  read_groups(body.substr(find_value(body, "NodeList=")), node, job);
  return job;
}

}  // namespace

JobText parse_job_text(std::string_view text, uint64_t id, std::string_view node) {
  text = trim(text);
  if (text.empty()) return {};
  // A record is one line: more of them are other jobs' as well as a user's.
  const bool lone = text.find('\n') == kNowhere && number_of(text, "JobId=") == id;
  if (!lone || !is_as_written_by_slurm(text)) return {.kind = JobTextKind::ambiguous};
  return {.kind = JobTextKind::clear, .job = parse_record(text, id, node)};
}

}  // namespace warpsight::slurm
