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
  Outcome read(pid_t pid) { return reader_.read(pid, facts_, ProcessReader::Environment::believe); }
  bool is_mps_server() {
    EXPECT_EQ(read(12), Outcome::read);
    return facts_.mps_server;
  }

  Machine machine_;
  ProcessReader reader_{machine_.path()};
  ProcessFacts facts_;
};

TEST_F(ProcessReaderTest, TellsNameStartUserAndCgroup) {
  machine_.run(12, {.cgroup = testing::kPodCgroup, .name = "a ) odd (name", .start = 77});
  ASSERT_EQ(read(12), Outcome::read);
  EXPECT_EQ(facts_.name, "a ) odd (name");
  EXPECT_EQ(facts_.start, 77U);
  EXPECT_EQ(facts_.uid, 1000U) << "the effective one";
  EXPECT_EQ(facts_.cgroup.pod_uid, testing::kUid);
  EXPECT_FALSE(facts_.mps_server);
}

TEST_F(ProcessReaderTest, EnvironmentIsReadOnlyWhereTheCgroupsDoNotTell) {
  const std::string environment = "SLURM_JOB_ID=9\0"s;
  machine_.run(12, {.environment = environment});
  ASSERT_EQ(read(12), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "9");
  machine_.run(13, {.cgroup = testing::kPodCgroup, .environment = environment});
  ASSERT_EQ(read(13), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
  machine_.run(14, {.cgroup = "1:cpu:/slurm/uid_1/job_5\n", .environment = environment});
  ASSERT_EQ(read(14), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
  machine_.run(
      15, {.cgroup = fmt::format("0::/docker/{}\n", testing::kId), .environment = environment});
  ASSERT_EQ(read(15), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
  ASSERT_EQ(reader_.read(12, facts_, ProcessReader::Environment::ignore), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
}

TEST_F(ProcessReaderTest, AHugeEnvironmentIsReadAsFarAsTheLimit) {
  std::string huge = "A=" + std::string(ProcessReader::kMaxEnvironment, 'x') + '\0';
  machine_.run(12, {.environment = "SLURM_JOB_ID=9\0"s + huge});
  ASSERT_EQ(read(12), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "9");
  machine_.run(12, {.environment = huge + "SLURM_JOB_ID=9\0"s});
  ASSERT_EQ(read(12), Outcome::read);
  EXPECT_EQ(facts_.slurm.job, "");
}

TEST_F(ProcessReaderTest, AProcessThatIsNotThereIsMissing) {
  EXPECT_EQ(read(12), Outcome::missing);
  EXPECT_EQ(reader_.start_time(12), std::nullopt);
  machine_.run(12);
  machine_.root().remove("/proc/12/status");
  EXPECT_EQ(read(12), Outcome::missing) << "it ended while it was read";
}

TEST_F(ProcessReaderTest, AZombieHasEndedUnlessItHasThreads) {
  machine_.run(12);
  const auto stat = [&](std::string_view state, int threads) {
    machine_.root().write(
        "/proc/12/stat",
        fmt::format("12 (x) {} 1 1 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 {} 0 77 1\n", state,
                    threads));
  };
  stat("Z", 1);
  EXPECT_EQ(read(12), Outcome::missing);
  EXPECT_EQ(reader_.start_time(12), std::nullopt);
  stat("Z", 5);
  EXPECT_EQ(read(12), Outcome::read);
  EXPECT_EQ(reader_.start_time(12), 77U);
  stat("D", 1);
  EXPECT_EQ(read(12), Outcome::read);
}

TEST_F(ProcessReaderTest, WhatCannotBeUnderstoodIsNotTrusted) {
  machine_.run(12);
  machine_.root().write("/proc/12/stat", "12 python3 S 1\n");
  EXPECT_EQ(read(12), Outcome::failed);
  machine_.root().write("/proc/12/stat", "12 (python3) S 1 1\n");
  EXPECT_EQ(read(12), Outcome::failed);
}

TEST_F(ProcessReaderTest, AnMpsServerIsKnownByItsProgram) {
  machine_.run(12, {.name = "nvidia-cuda-mps"});
  EXPECT_FALSE(is_mps_server()) << "the program is not to be seen";
  for (const char* program : {"nvidia-cuda-mps-server", "nvidia-cuda-mps-control"}) {
    machine_.root().link("/proc/12/exe", std::string("/usr/bin/") + program);
    EXPECT_TRUE(is_mps_server()) << program;
  }
  for (const char* program :
       {"miner", "nvidia-cuda-mps-miner", "nvidia-cuda-mps-server (deleted)"}) {
    machine_.root().link("/proc/12/exe", std::string("/home/eve/") + program);
    EXPECT_FALSE(is_mps_server()) << program;
  }
}

TEST_F(ProcessReaderTest, InAPodAJobOrAContainerNobodyIsTakenForAnMpsServer) {
  for (const std::string& cgroup : {testing::kPodCgroup, "1:cpu:/slurm/uid_1/job_5\n"s,
                                    fmt::format("0::/docker/{}\n", testing::kId)}) {
    machine_.run(12, {.cgroup = cgroup});
    machine_.root().link("/proc/12/exe", "/usr/bin/nvidia-cuda-mps-server");
    EXPECT_FALSE(is_mps_server()) << cgroup;
  }
  machine_.run(12, {.environment = "SLURM_JOB_ID=9\0"s});
  EXPECT_FALSE(is_mps_server());
}

}  // namespace
}  // namespace warpsight::processes
