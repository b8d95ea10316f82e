#include "sources/slurm/slurm_source.h"

#include <gmock/gmock.h>

#include "sources/slurm/recordings_test.h"
#include "sources/slurm/slurm_node_test.h"

namespace warpsight::slurm {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SlurmSource, TellsTheDevicesOfEachJobThoughTheirNumbersArePermuted) {
  Node node;
  node.recorded("22.05/scontrol_show_job.txt", {2, 4, 9});
  ASSERT_TRUE(node.run());
  // Indices 0, 1 and 3 are nvidia3, nvidia1 and nvidia2.
  EXPECT_THAT(node.held(), ElementsAre("2:3", "4:1", "9:2"));
  EXPECT_EQ(node.told().holdings.front().evidence, "scontrol");
  EXPECT_EQ(node.told().managed.size(), 4U);
  EXPECT_EQ(node.attributes("slurm/9"),
            "slurm.cluster.name=fake slurm.job.id=9 slurm.job.name=sweep slurm.user=gpualice "
            "slurm.account=ml slurm.partition=gpu slurm.qos=normal slurm.array.job.id=4 "
            "slurm.array.task.id=0 ");
}

TEST(SlurmSource, AsksAboutEachJobOnceAndSaysNothingTwice) {
  Node node;
  node.recorded("24.11/scontrol_show_job.txt", {1, 3, 8});
  ASSERT_TRUE(node.run());
  EXPECT_TRUE(node.said());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(node.run());
    EXPECT_FALSE(node.said());
  }
  EXPECT_THAT(node.calls(), ElementsAre("scontrol show job -d -o 1", "scontrol show job -d -o 3",
                                        "scontrol show job -d -o 8"));
  node.end_cgroup(3);
  ASSERT_TRUE(node.run());
  EXPECT_TRUE(node.said());
  EXPECT_THAT(node.held(), ElementsAre("1:3", "8:2"));
  EXPECT_EQ(node.calls().size(), 3U);
}

TEST(SlurmSource, ManyJobsAreAskedAboutInOneRun) {
  Node node;
  for (int id = 1; id <= 40; ++id) {
    node.job(id, "");
    node.cgroup(id);
  }
  ASSERT_TRUE(node.run());
  EXPECT_EQ(node.calls().size(), 40U);
  EXPECT_EQ(node.told().owners.size(), 40U);
  EXPECT_THAT(node.attributes("slurm/40"), HasSubstr("slurm.user=alice"));
}

TEST(SlurmSource, AJobWithoutGpusIsAnOwnerAmongOthers) {
  Node node;
  node.job(5, "");
  node.job(6, "gpu:h100:2(IDX:0,2)");
  node.cgroup(5);
  node.cgroup(6);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("6:3", "6:0"));
  EXPECT_EQ(node.attributes("slurm/5"),
            "slurm.cluster.name=fake slurm.job.id=5 slurm.job.name=train slurm.user=alice "
            "slurm.account=ml slurm.partition=gpu ");
}

TEST(SlurmSource, SharesOfOneGpuHaveSeveralHolders) {
  Node node;
  node.job(5, "shard:1(IDX:3)");
  node.job(6, "shard:1(IDX:3)");
  node.job(7, "mps:50(IDX:1)", "RUNNING", " HetJobId=7 HetJobOffset=0", "x HetJobIdSet=7-8");
  for (const int id : {5, 6, 7}) node.cgroup(id);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:2", "6:2", "7:1"));
  EXPECT_THAT(node.attributes("slurm/7"),
              AllOf(HasSubstr("slurm.job.name=x "),
                    HasSubstr("slurm.het.job.id=7 slurm.het.job.offset=0 ")));
}

TEST(SlurmSource, ARequeuedJobMayHaveOtherGpus) {
  Node node;
  node.job(5, "gpu:h100:1(IDX:0)");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:3"));
  node.end_cgroup(5);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.told().owners, IsEmpty());
  node.job(5, "gpu:h100:1(IDX:2)");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:0"));
}

TEST(SlurmSource, WaitsForAJobThatIsBeingMadeReady) {
  Node node;
  node.job(5, "", "CONFIGURING");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), IsEmpty());
  node.job(5, "gpu:h100:1(IDX:1)");
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:1"));
  ASSERT_TRUE(node.run());
  EXPECT_EQ(node.calls().size(), 2U);
}

TEST(SlurmSource, WhileSlurmIsDownWhatIsKnownStaysAndNobodyIsAskedInVain) {
  Node node;
  node.job(5, "gpu:h100:1(IDX:0)");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  node.answer("down", "");
  node.job(6, "gpu:h100:1(IDX:1)");
  node.cgroup(6);
  for (int i = 0; i < 30; ++i) {
    const auto outcome = node.run();
    ASSERT_FALSE(outcome);
    EXPECT_THAT(describe(outcome.error()),
                AllOf(HasSubstr("Unable to contact slurm controller"), HasSubstr("scontrol ping")));
  }
  EXPECT_THAT(node.held(), ElementsAre("5:3"));
  EXPECT_EQ(node.attributes("slurm/6"), "slurm.cluster.name=fake slurm.job.id=6 ");
  EXPECT_EQ(node.calls().size(), 1U + 5U);  // after 1, 2, 4, 8... seconds
  node.root().remove("/answers/down");
  for (int i = 0; i < 60; ++i) (void)node.run();
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:3", "6:1"));
}

TEST(SlurmSource, WithoutCgroupsTheNodesJobsAreAskedFor) {
  Node node;
  node.job(5, "gpu:h100:1(IDX:0)");
  node.answer("squeue", "5 2026-11-15T01:00:00\n");
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:3"));
  for (int i = 0; i < 29; ++i) ASSERT_TRUE(node.run());
  EXPECT_EQ(node.calls().size(), 2U);
  // Requeued in between: another start, other GPUs.
  node.job(5, "gpu:h100:1(IDX:2)");
  node.answer("squeue", "5 2026-11-15T01:00:20\n");
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:0"));
  node.answer("down", "");
  const auto outcome = node.run(seconds{30});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().hint, HasSubstr("munged"));
  EXPECT_THAT(node.held(), ElementsAre("5:0"));
}

TEST(SlurmSource, WithoutCgroupsAnOldListIsNotBelievedForEver) {
  Node node;
  node.job(5, "gpu:h100:1(IDX:0)");
  node.answer("squeue", "5 2026-11-15T01:00:00\n");
  ASSERT_TRUE(node.run());
  node.answer("down", "");
  EXPECT_FALSE(node.run(seconds{30}));
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(node.run(seconds{60}));
  EXPECT_THAT(node.held(), ElementsAre("5:3"));
  EXPECT_FALSE(node.run(seconds{60}));
  EXPECT_THAT(node.held(), IsEmpty());
  EXPECT_THAT(node.told().owners, IsEmpty());
  EXPECT_THAT(node.told().lookups.back().answer,
              AllOf(HasSubstr("munge"), HasSubstr("5 minutes"), HasSubstr("none of the jobs")));
  node.root().remove("/answers/down");
  ASSERT_TRUE(node.run(seconds{60}));
  EXPECT_THAT(node.held(), ElementsAre("5:3"));
  EXPECT_EQ(node.told().lookups[1].answer, "1 jobs");
}

TEST(SlurmSource, SqueueAnswersForAllJobsAtOnce) {
  Node node;
  node.set("query", "squeue");
  node.answer("squeue.json", recording("24.11/squeue.json"));
  for (const int id : {1, 3, 8}) node.cgroup(id);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("1:3", "3:1", "8:2"));
  EXPECT_EQ(node.told().holdings.front().evidence, "squeue");
  EXPECT_THAT(node.calls(), ElementsAre("squeue --json"));
  node.root().remove("/sys");
  ASSERT_TRUE(node.run());
  EXPECT_EQ(node.told().owners.size(), 3U);  // as squeue tells of jobs on the node
}

TEST(SlurmSource, ANameThatSpeaksAsSlurmIsAskedAboutInJson) {
  Node node;
  node.job(2, "gpu:h100:4(IDX:0-3)", "RUNNING", "", "a UserId=root(0) Account=x");
  node.answer("squeue.json", recording("22.05/squeue.json"));
  node.cgroup(2);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("2:3"));
  EXPECT_THAT(node.attributes("slurm/2"), HasSubstr("slurm.user=gpualice"));
}

TEST(SlurmSource, ATaskForWhichTheWholeArrayIsShownIsAskedAboutInJson) {
  Node node;
  node.answer("job_3", recorded_job("24.11/scontrol_show_job.txt", 8) +
                           recorded_job("24.11/scontrol_show_job.txt", 3));
  node.answer("squeue.json", recording("24.11/squeue.json"));
  node.cgroup(3);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("3:1"));
  EXPECT_THAT(node.attributes("slurm/3"), HasSubstr("slurm.array.task.id=1 "));
}

TEST(SlurmSource, AJobThatCannotBeToldKeepsNoOtherFromBeingTold) {
  Node node;
  node.answer("squeue.json", "not supported");
  node.job(2, "", "RUNNING", "", "a UserId=root(0)");
  node.job(5, "gpu:h100:1(IDX:0)");
  node.cgroup(2);
  node.cgroup(5);
  EXPECT_FALSE(node.run());
  for (int i = 0; i < 200; ++i) (void)node.run();
  EXPECT_THAT(node.held(), ElementsAre("5:3"));
  node.job(6, "gpu:h100:1(IDX:1)");
  node.cgroup(6);
  for (int i = 0; i < 61; ++i) (void)node.run();
  EXPECT_THAT(node.held(), ElementsAre("5:3", "6:1"));
}

TEST(SlurmSource, AJobThatSlurmForgotLosesItsGpuThoughItsCgroupStays) {
  Node node;
  node.job(5, "gpu:h100:1(IDX:0)");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:3"));
  node.root().remove("/answers/job_5");
  ASSERT_TRUE(node.run(std::chrono::minutes{5}));
  EXPECT_THAT(node.held(), IsEmpty());
  EXPECT_EQ(node.told().lookups.back().answer, "not known to Slurm");
}

TEST(SlurmSource, NobodyIsAskedWhereTheConfigSaysSo) {
  Node node;
  node.set("query", "none");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  EXPECT_EQ(node.attributes("slurm/5"), "slurm.cluster.name=fake slurm.job.id=5 ");
  EXPECT_THAT(node.calls(), IsEmpty());
}

TEST(SlurmSource, GpusThatSlurmdDetectsAreAskedOfSlurmd) {
  Node node;
  node.root().write("/etc/slurm/gres.conf", "AutoDetect=nvml\n");
  node.command(
      "slurmd",
      "echo 'slurmd: Gres Name=gpu Type=h100 Count=1 Index=1 File=/dev/nvidia1 (null)' >&2\n"
      "echo 'slurmd: Gres Name=gpu Type=h100 Count=1 Index=0 File=/dev/nvidia0 (null)' >&2");
  node.job(5, "gpu:h100:1(IDX:0)");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:1"));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(node.run());
  EXPECT_EQ(std::ranges::count_if(node.calls(),
                                  [](const auto& call) { return call.starts_with("slurmd -G"); }),
            1);
}

TEST(SlurmSource, AnOrderThatNobodyTellsIsNotGuessed) {
  Node node;
  node.root().write("/etc/slurm/gres.conf", "AutoDetect=nvml\n");
  node.job(5, "gpu:h100:1(IDX:0)");
  node.cgroup(5);
  const auto outcome = node.run();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, AllOf(HasSubstr("AutoDetect"), HasSubstr("File=")));
  EXPECT_THAT(node.held(), IsEmpty());
  EXPECT_THAT(node.told().managed, IsEmpty());
  EXPECT_EQ(node.told().owners.size(), 1U);
  node.root().write("/etc/slurm/gres.conf", "Name=gpu File=/dev/nvidia[0-3]\n");
  ASSERT_TRUE(node.run(seconds{30}));
  EXPECT_THAT(node.held(), ElementsAre("5:0"));
}

TEST(SlurmSource, MigInstancesAreHeldAsSuch) {
  Node node;
  node.root().write("/etc/slurm/slurm.conf", "NodeName=vm Gres=gpu:1g.10gb:2\n");
  node.root().write("/etc/slurm/gres.conf",
                    "Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/"
                    "nvidia-cap[21-22]\nName=gpu Type=1g.10gb "
                    "MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap30\n");
  node.root().write("/proc/driver/nvidia-caps/mig-minors",
                    "gpu0/gi2/access 21\ngpu0/gi2/ci0/access 22\ngpu0/gi3/access 30\n");
  node.job(5, "gpu:1g.10gb:1(IDX:0)");
  node.job(6, "gpu:1g.10gb:1(IDX:1)");
  node.cgroup(5);
  node.cgroup(6);
  ASSERT_TRUE(node.run());
  EXPECT_THAT(node.held(), ElementsAre("5:0/2", "6:0/3"));
  EXPECT_EQ(node.told().holdings[0].device.compute_instance, 0);
}

TEST(SlurmSource, AWrongNodeNameIsTold) {
  Node node;
  node.set("node_name", "other");
  node.root().make_directory("/sys/fs/cgroup/system.slice/slurmstepd.scope/job_5");
  node.job(5, "gpu:h100:1(IDX:0)");
  const auto outcome = node.run();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().hint, HasSubstr("node_name"));
  EXPECT_THAT(node.held(), IsEmpty());
}

TEST(SlurmSource, EveryAnswerCanBeSeen) {
  Node node;
  node.job(5, "gpu:h100:1(IDX:2)");
  node.cgroup(5);
  node.cgroup(6);
  ASSERT_TRUE(node.run());
  std::vector<std::string> lines;
  for (const Lookup& lookup : node.told().lookups) {
    lines.push_back(lookup.question + " -> " + lookup.answer);
  }
  EXPECT_THAT(
      lines,
      ElementsAre("GPUs of node vm: /etc/slurm/gres.conf -> 4 GPUs, by index of minor 3,1,0,2",
                  "jobs of node vm, from cgroups -> 2 jobs",
                  "scontrol show job -d -o 5 -> RUNNING, GPU index 2",
                  "scontrol show job -d -o 6 -> not known to Slurm"));
}

TEST(SlurmSource, AMissingCommandIsAnErrorThatSaysWhatToDo) {
  Node node;
  node.root().remove("/bin");
  node.cgroup(5);
  const auto outcome = node.run();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "scontrol is not installed");
  EXPECT_THAT(outcome.error().hint, HasSubstr("command_path"));
}

TEST(SlurmSource, TakenOutOfTheConfigItOwnsNothing) {
  Node node;
  node.job(5, "gpu:h100:1(IDX:2)");
  node.cgroup(5);
  ASSERT_TRUE(node.run());
  node.batch().clear();
  node.source().retire(node.batch());
  ASSERT_TRUE(node.batch().ownership);
  EXPECT_TRUE(node.batch().ownership->says_as(Ownership()));
}

TEST(SlurmSource, IsThereWhereSlurmIs) {
  Node node;
  EXPECT_TRUE(kSlurmSource.present(node.context()));
  SourceContext simulated = node.context();
  simulated.simulate = "8xh100";
  EXPECT_FALSE(kSlurmSource.present(simulated));
  node.root().write("/etc/slurm/slurm.conf", "NodeName=elsewhere[1-4]\n");  // a login node
  EXPECT_FALSE(kSlurmSource.present(node.context()));
  node.cgroup(1);
  EXPECT_TRUE(kSlurmSource.present(node.context()));
  node.root().remove("/sys");
  node.root().write("/run/slurmd.pid", "1");
  EXPECT_TRUE(kSlurmSource.present(node.context()));
}

TEST(SlurmSource, DoctorSaysWhatIsThere) {
  Node node;
  node.answer("squeue", "");
  const auto findings = kSlurmSource.diagnose(node.context());
  std::vector<std::string> lines;
  for (const Finding& finding : findings) lines.push_back(finding.what);
  EXPECT_THAT(lines,
              ElementsAre("node vm, /etc/slurm/slurm.conf", "Slurm makes no cgroups for jobs here",
                          HasSubstr("4 GPUs"), "scontrol answers"));
  node.answer("down", "");
  EXPECT_EQ(kSlurmSource.diagnose(node.context()).back().state, Finding::State::missing);
}

TEST(SlurmSource, RefusesToSendATokenInClearText) {
  Node node;
  node.set("slurmrestd", "http://slurm.example:6820");
  node.set("slurmrestd_token", "secret-token");
  const auto outcome = node.run();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("clear text"));
}

TEST(SlurmSource, RefusesAQueryWithoutItsAddress) {
  Node node;
  node.set("query", "slurmrestd");
  EXPECT_FALSE(node.run());
}

}  // namespace
}  // namespace warpsight::slurm
