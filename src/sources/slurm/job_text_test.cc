#include "sources/slurm/job_text.h"

#include <gmock/gmock.h>

#include "sources/slurm/recordings_test.h"

namespace warpsight::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

Job clear_job(std::string_view text, uint64_t id, std::string_view node) {
  JobText read = parse_job_text(text, id, node);
  EXPECT_EQ(read.kind, JobTextKind::clear);
  return read.job;
}

TEST(JobText, AsRecordedFrom2205) {
  const Job job = clear_job(recorded_job("22.05/scontrol_show_job.txt", 2), 2, "vm");
  EXPECT_EQ(job.name, "train-llm");
  EXPECT_EQ(job.user, "gpualice");
  EXPECT_EQ(job.account, "ml");
  EXPECT_EQ(job.partition, "gpu");
  EXPECT_EQ(job.qos, "normal");
  EXPECT_EQ(job.state, "RUNNING");
  EXPECT_EQ(job.start, "2026-11-15T01:32:29");
  EXPECT_EQ(job.array_job, std::nullopt);
  EXPECT_TRUE(job.settled());
  EXPECT_THAT(job.gpus, ElementsAre(HeldGpu{0, false}));
}

TEST(JobText, ArrayTasksHaveNumbersOfTheirOwn) {
  constexpr std::string_view kRecording = "22.05/scontrol_show_job.txt";
  const Job first = clear_job(recorded_job(kRecording, 9), 9, "vm");
  EXPECT_THAT(first.array_job, Optional(4U));
  EXPECT_THAT(first.array_task, Optional(0U));
  EXPECT_THAT(first.gpus, ElementsAre(HeldGpu{3, false}));
  const Job last = clear_job(recorded_job(kRecording, 4), 4, "vm");
  EXPECT_THAT(last.array_task, Optional(1U));
  EXPECT_THAT(last.gpus, ElementsAre(HeldGpu{1, false}));
}

TEST(JobText, PartsOfHetJobsAreNotSettledWhileTheyWait) {
  const Job job = clear_job(recorded_job("24.11/scontrol_show_job.txt", 7), 7, "vm");
  EXPECT_EQ(job.name, "het");
  EXPECT_THAT(job.het_job, Optional(6U));
  EXPECT_THAT(job.het_offset, Optional(1U));
  EXPECT_FALSE(job.here);
  EXPECT_FALSE(job.settled());
}

TEST(JobText, EndedJobsHoldNothing) {
  EXPECT_THAT(clear_job(recorded_job("24.11/scontrol_show_job.txt", 2), 2, "vm").gpus, IsEmpty());
  EXPECT_EQ(parse_job_text("\n", 2, "vm").kind, JobTextKind::none);
}

std::string job_text(std::string_view name, std::string_view groups,
                     std::string_view command = "/bin/true") {
  return "JobId=70 JobName=" + std::string(name) +
         " UserId=alice(1000) GroupId=alice(1000) MCS_label=N/A Account=(null) QOS=(null) "
         "JobState=RUNNING Reason=None StartTime=2026-11-15T01:32:29 Partition=gpu "
         "NodeList=gpu-[001-003],login1 "
         "JOB_GRES=gpu:h100:6  " +
         std::string(groups) + " MinCPUsNode=1 Features=(null) Command=" + std::string(command) +
         " WorkDir=/tmp \n";
}

constexpr std::string_view kGroups =
    "  Nodes=gpu-[001,003] CPU_IDs=0-3 Mem=0 GRES=gpu:h100:2(IDX:2-3) "
    "  Nodes=gpu-002 CPU_IDs=0 Mem=0 GRES=gpu:a100:1(IDX:0),gpu:h100:2(IDX:4,6),shard:1(IDX:4) "
    "  Nodes=login1 CPU_IDs=0 Mem=0 GRES=";

TEST(JobText, OfAJobOnManyNodesOnlyThisOnesCount) {
  const std::string text = job_text("x", kGroups);
  EXPECT_THAT(clear_job(text, 70, "gpu-003").gpus,
              ElementsAre(HeldGpu{2, false}, HeldGpu{3, false}));
  EXPECT_THAT(clear_job(text, 70, "gpu-002").gpus,
              ElementsAre(HeldGpu{0, false}, HeldGpu{4, false}, HeldGpu{6, false}));
  const Job job = clear_job(text, 70, "login1");
  EXPECT_TRUE(job.here);
  EXPECT_THAT(job.gpus, IsEmpty());
  EXPECT_EQ(job.account, "");
  EXPECT_FALSE(clear_job(text, 70, "gpu-004").here);
}

TEST(JobText, ValuesMayHoldBlanksAndEqualSigns) {
  const Job job = clear_job(
      job_text("lr=0.1 two words", kGroups, "/a b GRES=gpu:8(IDX:0-7) User=root Nodes=gpu-003"), 70,
      "gpu-003");
  EXPECT_EQ(job.name, "lr=0.1 two words");
  EXPECT_EQ(job.account, "");
  EXPECT_THAT(job.gpus, ElementsAre(HeldGpu{2, false}, HeldGpu{3, false}));
}

// Whoever names a job chooses the text; nobody becomes somebody else by it.
TEST(JobText, ANameThatSpeaksAsSlurmIsNotBelieved) {
  const std::string forged_job =
      "x UserId=root(0) GroupId=root(0) Account=victim QOS=x JobState=RUNNING StartTime=0 "
      "Partition=gpu NodeList=gpu-003 Nodes=gpu-003 GRES=gpu:8(IDX:0-7) MinCPUsNode=1";
  for (const std::string& name :
       {std::string("a UserId=root(0) GroupId=root(0) Account=wheel"),
        std::string("a\nJobId=70 JobName=b"), std::string("a\nJobId=71 JobName=b"), forged_job,
        forged_job + "\nJobId=71 JobName=y", forged_job + "\nJobId=70 JobName=y",
        std::string(" Account=victim"), std::string("a\tPartition=fake"),
        std::string("a MinCPUsNode=1"), std::string("a Nodes=gpu-003 GRES=gpu:8(IDX:0-7)")}) {
    EXPECT_EQ(parse_job_text(job_text(name, kGroups), 70, "gpu-003").kind, JobTextKind::ambiguous)
        << name;
  }
}

TEST(JobText, NorIsACommandThatDoes) {
  for (const std::string_view command : {"x UserId=root(0)", "x Account=victim", "x\nJobId=71"}) {
    EXPECT_EQ(parse_job_text(job_text("a", kGroups, command), 70, "gpu-003").kind,
              JobTextKind::ambiguous)
        << command;
  }
}

// It stands between QOS and JobState where a cluster tracks them.
TEST(JobText, AWckeyGivesNoGpus) {
  for (const std::string_view key :
       {"k Nodes=gpu-003 GRES=gpu:8(IDX:0-7) Partition=fake", "k Nodes=gpu-003 GRES=gpu:8(IDX:0-7)",
        "k NodeList=gpu-003", "k GRES_IDX=gpu(IDX:0-7)"}) {
    std::string text = job_text("a", "");
    text.insert(text.find(" JobState="), " WCKey=" + std::string(key));
    EXPECT_EQ(parse_job_text(text, 70, "gpu-003").kind, JobTextKind::ambiguous) << key;
  }
}

// As a user's newline may have made of one.
TEST(JobText, SeveralJobsAreNotToldApart) {
  const std::string text = recording("24.11/scontrol_show_job.txt");
  EXPECT_EQ(parse_job_text(text, 3, "vm").kind, JobTextKind::ambiguous);
  EXPECT_EQ(parse_job_text(text, 99, "vm").kind, JobTextKind::ambiguous);
  EXPECT_EQ(parse_job_text(job_text("x", kGroups), 71, "gpu-003").kind, JobTextKind::ambiguous);
}

TEST(JobText, SharesOfAGpu) {
  const std::string text = job_text("x", "Nodes=gpu-001 CPU_IDs=0 Mem=0 GRES=shard:1(IDX:3)");
  EXPECT_THAT(clear_job(text, 70, "gpu-001").gpus, ElementsAre(HeldGpu{3, true}));
}

}  // namespace
}  // namespace warpsight::slurm
