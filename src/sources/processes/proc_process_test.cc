#include "sources/processes/proc_process.h"

#include <gtest/gtest.h>

#include "sources/processes/machine_for_test.h"

namespace warpsight::processes {
namespace {

using namespace std::string_literals;
using testing::FakeProcess;
using testing::Machine;
using Outcome = ProcessReader::Outcome;

TEST(SlurmEnvironment, JobAndStepAreFoundAmongOthers) {
  const auto found = parse_slurm_environment(
      "PATH=/bin\0SLURM_JOB_ID=42\0SLURM_STEP_ID=0\0OPTS=a=b=c\0SLURM_JOB_GPUS=0,3\0"s
      "SLURM_STEP_GPUS=3\0SLURM_JOB_ID=43\0"s);
  EXPECT_EQ(found.job, "42");
  EXPECT_EQ(found.step, "0");
  EXPECT_EQ(found.gpus, "3");
  EXPECT_EQ(parse_slurm_environment("SLURM_JOBID=7\0SLURM_STEP_ID=4294967291\0"s).step, "batch");
}

TEST(SlurmEnvironment, WhatIsNoIdOrWasCutOffIsNotTaken) {
  for (const std::string& bytes :
       {"SLURM_JOB_ID=\0"s, "SLURM_JOB_ID=4=2\0"s, "SLURM_JOB_ID=0\0"s, "SLURM_JOB_ID=42"s,
        "XSLURM_JOB_ID=42\0"s, "SLURM_JOB_IDS=42\0"s, "SLURM_JOB_ID\0"s, ""s}) {
    EXPECT_EQ(parse_slurm_environment(bytes), SlurmEnvironment{}) << bytes;
  }
  EXPECT_EQ(parse_slurm_environment("SLURM_JOB_ID=1\0SLURM_STEP_ID=x\0SLURM_JOB_GPUS=$(id)\0"s),
            (SlurmEnvironment{"1", "", ""}));
}

class ProcessReaderTest : public ::testing::Test {
 protected:
  Machine machine_;
  ProcessReader reader_{machine_.path()};
  ProcessFacts facts_;
};

TEST_F(ProcessReaderTest, TellsNameStartUserAndCgroup) {
  machine_.run(12, {.cgroup = testing::kPodCgroup, .name = "a ) odd (name", .start = 77});
  ASSERT_EQ(reader_.read(12, facts_), Outcome::read);
  EXPECT_EQ(facts_.name, "a ) odd (name");
  EXPECT_EQ(facts_.start, 77U);
  EXPECT_EQ(facts_.uid, 1000U) << "the effective one";
  EXPECT_EQ(facts_.cgroup.pod_uid, testing::kUid);
  EXPECT_FALSE(facts_.mps_server);
}

TEST_F(ProcessReaderTest, EnvironmentIsReadOnlyWhereTheCgroupsDoNotTell) {
  const std::string environment = "SLURM_JOB_ID=9\0"s;
  machine_.run(12, {.environment = environment});
  ASSERT_EQ(reader_.read(12, facts_), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "9");
  machine_.run(13, {.cgroup = testing::kPodCgroup, .environment = environment});
  ASSERT_EQ(reader_.read(13, facts_), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
  machine_.run(14, {.cgroup = "1:cpu:/slurm/uid_1/job_5\n", .environment = environment});
  ASSERT_EQ(reader_.read(14, facts_), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
}

TEST_F(ProcessReaderTest, AHugeEnvironmentIsReadAsFarAsTheLimit) {
  std::string huge = "A=" + std::string(ProcessReader::kMaxEnvironment, 'x') + '\0';
  machine_.run(12, {.environment = "SLURM_JOB_ID=9\0"s + huge});
  ASSERT_EQ(reader_.read(12, facts_), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "9");
  machine_.run(12, {.environment = huge + "SLURM_JOB_ID=9\0"s});
  ASSERT_EQ(reader_.read(12, facts_), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
}

TEST_F(ProcessReaderTest, AProcessThatIsNotThereIsMissing) {
  EXPECT_EQ(reader_.read(12, facts_), Outcome::missing);
  EXPECT_EQ(reader_.start_time(12), std::nullopt);
  machine_.run(12);
  machine_.root().remove("/proc/12/status");
  EXPECT_EQ(reader_.read(12, facts_), Outcome::missing) << "it ended while it was read";
}

TEST_F(ProcessReaderTest, WhatCannotBeUnderstoodIsNotTrusted) {
  machine_.run(12);
  machine_.root().write("/proc/12/stat", "12 python3 S 1\n");
  EXPECT_EQ(reader_.read(12, facts_), Outcome::failed);
  machine_.root().write("/proc/12/stat", "12 (python3) S 1 1\n");
  EXPECT_EQ(reader_.read(12, facts_), Outcome::failed);
}

TEST_F(ProcessReaderTest, AnMpsServerIsKnownByItsProgram) {
  machine_.run(12, {.name = "nvidia-cuda-mps"});
  ASSERT_EQ(reader_.read(12, facts_), Outcome::read);
  EXPECT_TRUE(facts_.mps_server);
  machine_.root().link("/proc/12/exe", "/usr/bin/nvidia-cuda-mps-server");
  reader_.read(12, facts_);
  EXPECT_TRUE(facts_.mps_server);
  machine_.root().link("/proc/12/exe", "/home/eve/miner");
  reader_.read(12, facts_);
  EXPECT_FALSE(facts_.mps_server) << "it only calls itself so";
}

TEST_F(ProcessReaderTest, AnOpenDeviceFileShowsThatItUsesAGpu) {
  machine_.run(12);
  EXPECT_EQ(reader_.holds_gpu(12), std::nullopt);
  machine_.root().link("/proc/12/fd/0", "/dev/null");
  EXPECT_EQ(reader_.holds_gpu(12), false);
  machine_.root().link("/proc/12/fd/1", "/dev/nvidia0");
  EXPECT_EQ(reader_.holds_gpu(12), true);
}

}  // namespace
}  // namespace warpsight::processes
