#include "sources/slurm/job_json.h"

#include <optional>

#include "net/foreign_text.h"
#include "sources/slurm/hostlist.h"

namespace warpsight::slurm {
namespace {

// 7, or since 23.02 {"set": true, "infinite": false, "number": 7}.
std::optional<uint64_t> number(Json value) {
  if (value.is_object()) {
    if (!value["set"].boolean().value_or(false) || value["infinite"].boolean().value_or(false)) {
      return std::nullopt;
    }
    value = value["number"];
  }
  const auto read = value.integer();
  if (!read || *read < 0) return std::nullopt;
  return static_cast<uint64_t>(*read);
}

// Of numbers that are 0 when there is none.
std::optional<uint64_t> id(Json value) {
  const auto read = number(value);
  return read == 0U ? std::nullopt : read;
}

std::string words(Json value) {
  if (!value.is_array()) return std::string(value.text());
  std::string joined;
  value.for_each([&](Json word) {
    if (!joined.empty()) joined += '+';
    joined += word.text();
  });
  return joined;
}

// The nodes in the order that gres_detail follows; Job.nodes may be sorted otherwise.
std::string_view nodes_of(Json job) {
  const Json nodes = job["job_resources"]["nodes"];
  const std::string_view list = nodes.is_object() ? nodes["list"].text() : nodes.text();
  return list.empty() ? job["nodes"].text() : list;
}

std::optional<Job> read_job(Json value, std::string_view node) {
  const auto job_id = id(value["job_id"]);
  if (!job_id) return std::nullopt;
  Job job;
  job.id = *job_id;
  job.name = value["name"].text();
  job.user = value["user_name"].text();
  job.account = value["account"].text();
  job.partition = value["partition"].text();
  job.qos = value["qos"].text();
  job.cluster = value["cluster"].text();
  job.state = words(value["job_state"]);
  if (const auto start = number(value["start_time"])) job.start = std::to_string(*start);
  job.array_job = id(value["array_job_id"]);
  if (job.array_job) job.array_task = number(value["array_task_id"]);
  job.het_job = id(value["het_job_id"]);
  if (job.het_job) job.het_offset = number(value["het_job_offset"]);
  const auto position = position_in_hostlist(nodes_of(value), node);
  if (!position) return job;
  job.here = true;
  uint64_t at = 0;
  value["gres_detail"].for_each([&](Json detail) {
    if (at++ == *position) job.gpus = held_gpus(detail.text());
  });
  return job;
}

std::string error_of(Json answer) {
  std::string message;
  answer["errors"].for_each([&](Json error) {
    if (!message.empty()) return;
    message = error["error"].text();
    if (message.empty()) message = error["description"].text();
    if (message.empty()) message = "an error without a name";
  });
  return printable_beginning(message, 200);
}

}  // namespace

Result<std::vector<Job>> parse_job_json(JsonText& parser, std::string_view text,
                                        std::string_view node) {
  const auto answer = parser.parse(text);
  if (!answer) return tl::unexpected(answer.error());
  const Json list = (*answer)["jobs"];
  std::vector<Job> jobs;
  list.for_each([&](Json value) {
    if (auto job = read_job(value, node)) jobs.push_back(std::move(*job));
  });
  if (!list.is_array() || jobs.empty()) {
    if (const std::string error = error_of(*answer); !error.empty()) return fail(error);
  }
  if (!list.is_array()) return fail("the answer lists no jobs");
  return jobs;
}

}  // namespace warpsight::slurm
