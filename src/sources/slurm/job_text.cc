#include "sources/slurm/job_text.h"

#include <optional>

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

// The job's own text, from "JobId=" to where the next job begins.
std::string_view take_record(std::string_view& text) {
  const size_t end = text.find("\nJobId=");
  const std::string_view record = text.substr(0, end);
  text.remove_prefix(end == kNowhere ? text.size() : end + 1);
  return record;
}

// The resources of one node, from the groups "Nodes=n[1-2] CPU_IDs=0 Mem=200 GRES=gpu:1(IDX:0)".
void read_groups(std::string_view body, std::string_view node, Job& job) {
  bool ours = false;
  while (!body.empty()) {
    const std::string_view word = next_word(body);
    // What the user wrote (command, comment...) comes after this word.
    if (word.starts_with("MinCPUsNode=")) return;
    if (word.starts_with("NodeList=")) {
      job.here = job.here || position_in_hostlist(word.substr(9), node).has_value();
    }
    if (word.starts_with("Nodes=")) ours = position_in_hostlist(word.substr(6), node).has_value();
    if (!ours) continue;
    job.here = true;
    if (word.starts_with("GRES=")) job.gpus = held_gpus(word.substr(5));
    if (word.starts_with("GRES_IDX=")) job.gpus = held_gpus(word.substr(9));
  }
}

// Nothing when the record is not whole.
std::optional<Job> parse_record(std::string_view record, uint64_t id, std::string_view node) {
  const size_t name = find_value(record, "JobName=");
  if (name == kNowhere) return std::nullopt;
  const std::string_view head = record.substr(0, name);
  // The name may hold blanks and '='; it ends where the user's is told.
  const std::string_view rest = record.substr(name);
  const size_t end = rest.find(" UserId=");
  if (end == kNowhere) return std::nullopt;
  const std::string_view body = rest.substr(end);
  constexpr size_t kInsideTheFirst = 5;
  if (find_value(body.substr(kInsideTheFirst), "UserId=") != kNowhere) return std::nullopt;
  Job job;
  job.id = id;
  std::string_view title = rest.substr(0, end);
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
  read_groups(body, node, job);
  return job;
}

}  // namespace

JobText parse_job_text(std::string_view text, uint64_t id, std::string_view node) {
  JobText found;
  while (!text.empty()) {
    const std::string_view record = take_record(text);
    if (!record.starts_with("JobId=") || number_of(record, "JobId=") != id) continue;
    auto job = parse_record(record, id, node);
    if (!job || found.kind != JobTextKind::none) return {.kind = JobTextKind::ambiguous};
    found = {.kind = JobTextKind::clear, .job = std::move(*job)};
  }
  return found;
}

}  // namespace warpsight::slurm
