#include "sources/slurm/job_json.h"

#include <gmock/gmock.h>

#include "sources/slurm/recordings_test.h"

namespace warpsight::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

std::vector<Job> parse(std::string_view text, std::string_view node = "vm") {
  JsonText parser;
  auto jobs = parse_job_json(parser, text, node);
  EXPECT_TRUE(jobs) << jobs.error().message;
  return jobs ? *jobs : std::vector<Job>();
}

Job find(const std::vector<Job>& jobs, uint64_t id) {
  const auto found = std::ranges::find(jobs, id, &Job::id);
  return found == jobs.end() ? Job() : *found;
}

TEST(JobJson, TheSameInBothShapes) {
  const auto old = parse(recording("22.05/squeue.json"));
  const auto now = parse(recording("24.11/squeue.json"));
  EXPECT_EQ(old.size(), 9U);
  EXPECT_EQ(now.size(), 7U);
  for (const Job& job : {find(old, 2), find(now, 1)}) {
    EXPECT_EQ(job.name, "train-llm");
    EXPECT_EQ(job.user, "gpualice");
    EXPECT_EQ(job.account, "ml");
    EXPECT_EQ(job.partition, "gpu");
    EXPECT_EQ(job.qos, "normal");
    EXPECT_EQ(job.cluster, "fake");
    EXPECT_EQ(job.state, "RUNNING");
    EXPECT_EQ(job.array_job, std::nullopt);
    EXPECT_EQ(job.array_task, std::nullopt);
    EXPECT_EQ(job.het_job, std::nullopt);
    EXPECT_TRUE(job.settled());
    EXPECT_THAT(job.gpus, ElementsAre(HeldGpu{0, false}));
  }
  for (const Job& job : {find(old, 9), find(now, 8)}) {
    EXPECT_THAT(job.array_task, Optional(0U));
    EXPECT_THAT(job.gpus, ElementsAre(HeldGpu{3, false}));
  }
  for (const Job& job : {find(old, 8), find(now, 7)}) {
    EXPECT_THAT(job.het_offset, Optional(1U));
    EXPECT_FALSE(job.settled());
  }
}

TEST(JobJson, DetailsFollowTheAllocatedNodesNotTheSortedList) {
  const std::string_view text = R"json({"jobs": [{"job_id": 5, "job_state": ["RUNNING"],
      "nodes": "a1,b[1-2]", "job_resources": {"nodes": {"list": "b[1-2],a1"}},
      "gres_detail": ["gpu:1(IDX:0)", "gpu:2(IDX:1-2)", "gpu:1(IDX:7)"]}]})json";
  EXPECT_THAT(find(parse(text, "b2"), 5).gpus, ElementsAre(HeldGpu{1, false}, HeldGpu{2, false}));
  EXPECT_THAT(find(parse(text, "a1"), 5).gpus, ElementsAre(HeldGpu{7, false}));
  EXPECT_FALSE(find(parse(text, "c1"), 5).here);
}

TEST(JobJson, AJobBeingMadeReadyIsNotSettled) {
  const Job job = find(parse(R"({"jobs": [{"job_id": 5, "nodes": "vm",
      "job_state": ["RUNNING", "CONFIGURING"], "gres_detail": []}]})"),
                       5);
  EXPECT_TRUE(job.here);
  EXPECT_FALSE(job.settled());
}

TEST(JobJson, ErrorsAreTold) {
  JsonText parser;
  const auto refused = parse_job_json(
      parser, R"({"jobs": [], "errors": [{"error": "Invalid job id specified"}]})", "vm");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Invalid job id"));
  EXPECT_FALSE(parse_job_json(parser, "squeue: unrecognized option", "vm"));
  EXPECT_FALSE(parse_job_json(parser, "{}", "vm"));
  EXPECT_THAT(parse(R"({"jobs": [], "errors": []})"), IsEmpty());
}

}  // namespace
}  // namespace warpsight::slurm
