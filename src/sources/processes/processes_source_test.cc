#include "sources/processes/processes_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/processes/machine_for_test.h"

namespace warpsight::processes {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeProcess;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kId;
using testing::kUid;
using testing::Machine;
using ::testing::SizeIs;

class ProcessesSourceTest : public ::testing::Test {
 protected:
  SourceContext context() {
    return {machine_.clock,
            machine_.entities,
            options_,
            trace_,
            machine_.path(),
            {},
            simulate_,
            {},
            {}};
  }

  // What it says after one run; null: as before.
  std::shared_ptr<const Ownership> collect() {
    if (!source_) source_ = std::move(kProcessesSource.make(context()).value());
    batch_.clear();
    EXPECT_TRUE(source_->collect(batch_));
    return batch_.ownership;
  }

  std::shared_ptr<const Ownership> say(const FakeProcess& process) {
    machine_.run(12, process);
    machine_.enter_gpu(12);
    return collect();
  }

  Machine machine_;
  CallTrace trace_;
  Options options_ = Options::defaults(kProcessesSource.options);
  std::string simulate_;
  Batch batch_;
  std::unique_ptr<Source> source_;
};

TEST_F(ProcessesSourceTest, APodsProcess) {
  const auto said = say({.cgroup = testing::kPodCgroup});
  ASSERT_NE(said, nullptr);
  const std::string container = fmt::format("container/{}", kId);
  ASSERT_THAT(said->members, SizeIs(1));
  EXPECT_EQ(said->members[0],
            (Member{12,
                    {container, fmt::format("pod/{}", kUid)},
                    "cgroup",
                    {{"process.owner", "ada"}, {"container.id", std::string(kId)}}}));
  EXPECT_THAT(
      said->owners,
      ElementsAre(Owner{OwnerKind::pod,
                        container,
                        {},
                        {{"k8s.pod.uid", std::string(kUid)}, {"container.id", std::string(kId)}}}));
}

TEST_F(ProcessesSourceTest, ASlurmStepsProcess) {
  const auto said =
      say({.cgroup = "4:memory:/slurm_vm/uid_1000/job_2/step_0/task_0\n0::/\n", .uid = 0});
  ASSERT_NE(said, nullptr);
  EXPECT_THAT(
      said->members,
      ElementsAre(Member{
          12, {"slurm/2"}, "slurm_cgroup", {{"process.owner", "root"}, {"slurm.step.id", "0"}}}));
  EXPECT_THAT(
      said->owners,
      ElementsAre(Owner{
          OwnerKind::slurm_job, "slurm/2", {}, {{"slurm.job.id", "2"}, {"slurm.user", "ada"}}}));
}

TEST_F(ProcessesSourceTest, AJobsUserIsNotRootBecauseOneOfItsProcessesIs) {
  constexpr auto kJob = "0::/system.slice/slurmstepd.scope/job_2/step_0/user/task_0\n";
  for (const int pid : {10, 11, 12}) {
    machine_.run(pid, {.cgroup = kJob, .uid = pid == 11 ? 1000U : 0U});
    machine_.enter_gpu(pid);
  }
  const auto said = collect();
  ASSERT_THAT(said->owners, SizeIs(1));
  EXPECT_THAT(said->owners[0].attributes, Contains(Attribute{"slurm.user", "ada"}));
}

TEST_F(ProcessesSourceTest, AContainerInsideAJobIsAnAttributeAndTheJobTheOwner) {
  const auto said =
      say({.cgroup = fmt::format("0::/system.slice/slurmstepd.scope/job_2/step_0/libpod-{}.scope\n",
                                 kId)});
  EXPECT_THAT(said->members[0].owners, ElementsAre("slurm/2"));
  EXPECT_THAT(said->members[0].attributes, Contains(Attribute{"container.id", std::string(kId)}));
  EXPECT_THAT(said->owners, SizeIs(1));
}

constexpr auto kDaemonsCgroup = "0::/system.slice/slurmd.service\n";
const std::string kJobEnvironment = "SLURM_JOB_ID=7\0SLURM_STEP_ID=3\0SLURM_STEP_GPUS=1\0"s;

TEST_F(ProcessesSourceTest, WithoutJobCgroupsTheEnvironmentTellsTheJobButNoDevice) {
  const auto said = say({.cgroup = kDaemonsCgroup, .environment = kJobEnvironment});
  EXPECT_THAT(said->members,
              ElementsAre(Member{12,
                                 {"slurm/7", "process/12/500"},
                                 "slurm_env",
                                 {{"process.owner", "ada"}, {"slurm.step.id", "3"}}}));
  EXPECT_THAT(said->owners,
              ElementsAre(Field(&Owner::key, "process/12/500"), Field(&Owner::key, "slurm/7")));
  EXPECT_THAT(said->holdings, IsEmpty());
}

TEST_F(ProcessesSourceTest, WhereSlurmHasCgroupsAnEnvironmentIsNotBelieved) {
  machine_.root().write("/sys/fs/cgroup/system.slice/slurmstepd.scope/cgroup.procs", "");
  const auto said = say({.cgroup = kDaemonsCgroup, .environment = kJobEnvironment});
  EXPECT_THAT(said->members,
              ElementsAre(Member{12, {"process/12/500"}, "proc", {{"process.owner", "ada"}}}));
}

TEST_F(ProcessesSourceTest, AnEnvironmentIsNoLongerBelievedWhenSlurmHasCgroups) {
  say({.cgroup = kDaemonsCgroup, .environment = kJobEnvironment});
  machine_.root().write("/sys/fs/cgroup/memory/slurm_vm/tasks", "");
  machine_.clock.advance(1min);
  const auto said = collect();
  ASSERT_NE(said, nullptr);
  EXPECT_THAT(said->members[0].owners, ElementsAre("process/12/500"));
}

TEST_F(ProcessesSourceTest, InAContainerAnEnvironmentIsNotBelieved) {
  const auto said =
      say({.cgroup = fmt::format("0::/docker/{}\n", kId), .environment = kJobEnvironment});
  EXPECT_THAT(said->members[0].owners, ElementsAre(fmt::format("container/{}", kId)));
}

TEST_F(ProcessesSourceTest, AUsersContainerIsNeverThatOfAPod) {
  const auto said =
      say({.cgroup = fmt::format("0::/user.slice/user-1000.slice/cri-containerd-{}.scope\n", kId)});
  EXPECT_THAT(said->members[0].owners, ElementsAre(fmt::format("container/user/{}", kId)));
  ASSERT_THAT(said->owners, SizeIs(1));
  EXPECT_EQ(said->owners[0].kind, OwnerKind::container);
  EXPECT_THAT(said->owners[0].aliases, IsEmpty());
}

TEST_F(ProcessesSourceTest, AContainerOutsideKubernetes) {
  const auto said = say({.cgroup = fmt::format("0::/system.slice/docker-{}.scope\n", kId)});
  EXPECT_THAT(
      said->owners,
      ElementsAre(Owner{OwnerKind::container,
                        fmt::format("container/{}", kId),
                        {},
                        {{"container.id", std::string(kId)}, {"container.runtime", "docker"}}}));
}

TEST_F(ProcessesSourceTest, AProcessOfNobodyElseIsItsUsers) {
  const auto said = say({});
  EXPECT_THAT(said->members,
              ElementsAre(Member{12, {"process/12/500"}, "proc", {{"process.owner", "ada"}}}));
  EXPECT_THAT(said->owners, ElementsAre(Owner{OwnerKind::process,
                                              "process/12/500",
                                              {},
                                              {{"process.pid", "12"},
                                               {"process.executable.name", "python3"},
                                               {"process.owner", "ada"},
                                               {".process.start", "500"}}}));
}

TEST_F(ProcessesSourceTest, CgroupsThatTellNothingAreSaidToTellNothing) {
  const auto said = say({.cgroup = "0::/\n"});
  EXPECT_THAT(said->lookups,
              ElementsAre(Field(&Lookup::answer, HasSubstr("cgroups tell nothing"))));
}

TEST_F(ProcessesSourceTest, AnMpsServerBelongsToNobody) {
  machine_.root().link("/proc/12/exe", "/usr/bin/nvidia-cuda-mps-server");
  const auto said = say({.name = "nvidia-cuda-mps"});
  EXPECT_THAT(said->members, IsEmpty());
  EXPECT_THAT(said->owners, IsEmpty());
  EXPECT_THAT(said->lookups, ElementsAre(Field(&Lookup::answer, HasSubstr("MPS"))));
}

TEST_F(ProcessesSourceTest, OneThatOnlyCallsItselfAnMpsServerIsSomebodys) {
  const auto said = say({.name = "nvidia-cuda-mps"});
  EXPECT_THAT(said->members, SizeIs(1));
}

TEST_F(ProcessesSourceTest, InAPidNamespaceOfItsOwnNobodyIsGuessed) {
  machine_.root().link("/proc/self/ns/pid", "pid:[5]");
  machine_.root().link("/proc/12/fd/4", "/dev/nvidia0");
  const auto said = say({.cgroup = testing::kPodCgroup});
  EXPECT_THAT(said->members, IsEmpty());
  EXPECT_THAT(said->owners, IsEmpty());
  EXPECT_THAT(said->lookups, ElementsAre(Field(&Lookup::answer, HasSubstr("hostPID: true"))));
}

TEST_F(ProcessesSourceTest, AProcessThatCannotBeSeenIsNotGuessed) {
  machine_.enter_gpu(12);
  const auto said = collect();
  EXPECT_THAT(said->members, IsEmpty());
  EXPECT_THAT(said->lookups,
              ElementsAre(AllOf(Field(&Lookup::question, "process 12"),
                                Field(&Lookup::answer, HasSubstr("PID namespace")))));
}

TEST_F(ProcessesSourceTest, OwnershipIsSaidOnlyWhenItChanged) {
  EXPECT_EQ(collect(), nullptr);
  EXPECT_NE(say({}), nullptr);
  machine_.clock.advance(1s);
  EXPECT_EQ(collect(), nullptr);
  machine_.enter_gpu(12, 1);
  EXPECT_EQ(collect(), nullptr) << "the same process, on one GPU more";
  machine_.end(12);
  machine_.leave_gpu(12);
  machine_.leave_gpu(12, 1);
  const auto said = collect();
  ASSERT_NE(said, nullptr);
  EXPECT_THAT(said->members, IsEmpty());
}

TEST_F(ProcessesSourceTest, RetiredItKnowsOfNobody) {
  say({});
  batch_.clear();
  source_->retire(batch_);
  ASSERT_NE(batch_.ownership, nullptr);
  EXPECT_TRUE(batch_.ownership->says_as({}));
}

TEST_F(ProcessesSourceTest, ASimulationsProcessesAreNotThisMachines) {
  EXPECT_TRUE(kProcessesSource.present(context()));
  simulate_ = "8xh100";
  EXPECT_FALSE(kProcessesSource.present(context()));
}

TEST_F(ProcessesSourceTest, DoctorTellsWhatKeepsProcessesFromSight) {
  machine_.root().write("/proc/self/status", "CapEff:\t000001ffffffffff\n");
  EXPECT_THAT(kProcessesSource.diagnose(context()),
              ElementsAre(Field(&Finding::state, Finding::State::ok)));
  machine_.root().link("/proc/self/ns/pid", "pid:[5]");
  machine_.root().write("/proc/self/status", "CapEff:\t0\n");
  machine_.root().write("/proc/self/mountinfo", "22 20 0:21 / /proc rw - proc proc rw,hidepid=2\n");
  const auto findings = kProcessesSource.diagnose(context());
  EXPECT_THAT(findings, SizeIs(3));
  EXPECT_THAT(findings, Contains(Field(&Finding::hint, HasSubstr("hostPID"))));
  EXPECT_THAT(findings, Contains(Field(&Finding::what, HasSubstr("hidepid=2"))));
  EXPECT_THAT(findings, Contains(Field(&Finding::what, HasSubstr("environments"))));
}

}  // namespace
}  // namespace warpsight::processes
