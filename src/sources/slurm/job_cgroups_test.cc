#include "sources/slurm/job_cgroups.h"

#include <gmock/gmock.h>

#include "sources/slurm/recordings_test.h"
#include "sources/sysfs/fake_root.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using warpsight::testing::FakeRoot;

std::vector<uint64_t> jobs(const FakeRoot& root, std::string_view node) {
  std::vector<uint64_t> ids;
  for (const JobRun& run : list_job_cgroups(root.path(), node).value_or(std::vector<JobRun>{{0}})) {
    ids.push_back(run.job);
  }
  return ids;
}

TEST(JobCgroups, OfTheFirstVersionAsRecorded) {
  for (const auto& [name, expected] :
       {std::pair{"22.05/cgroups.txt", std::vector<uint64_t>{2, 4, 9}},
        std::pair{"24.11/cgroups.txt", std::vector<uint64_t>{1, 3, 8}}}) {
    const FakeRoot root;
    const std::string tree = recording(name);
    std::string_view rest = tree;
    while (!rest.empty()) root.make_directory(next_line(rest));
    EXPECT_EQ(jobs(root, "vm"), expected) << name;
    EXPECT_THAT(nodes_with_cgroups(root.path()), ElementsAre("vm"));
    EXPECT_FALSE(list_job_cgroups(root.path(), "other"));
  }
}

TEST(JobCgroups, OfTheSecondVersion) {
  const FakeRoot root;
  root.make_directory("/sys/fs/cgroup/system.slice/slurmstepd.scope/job_17/step_0/user/task_0");
  root.make_directory("/sys/fs/cgroup/system.slice/slurmstepd.scope/system");
  root.make_directory("/sys/fs/cgroup/system.slice/n2_slurmstepd.scope/job_18");
  root.make_directory("/sys/fs/cgroup/system.slice/n1_slurmstepd.scope/job_19");
  root.make_directory("/sys/fs/cgroup/slurm/uid_1000/job_20");
  root.make_directory("/sys/fs/cgroup/user.slice/job_21");
  EXPECT_THAT(jobs(root, "n1"), ElementsAre(17U, 19U, 20U));
}

TEST(JobCgroups, AJobWithoutProcessesIsEmpty) {
  const FakeRoot root;
  const std::string top = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_";
  for (const char* empty : {"1", "1/step_0", "2", "2/step_0", "2/step_0/user"}) {
    root.write(top + empty + "/cgroup.procs", "");
  }
  root.write(top + "2/step_0/user/task_0/cgroup.procs", "4711\n");
  root.make_directory(top + "3");
  const auto runs = *list_job_cgroups(root.path(), "n1");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_TRUE(runs[0].empty);
  EXPECT_FALSE(runs[1].empty);
  EXPECT_FALSE(runs[2].empty) << "nobody knows";
}

TEST(JobCgroups, NoSlurmIsNotNoJobs) {
  const FakeRoot root;
  EXPECT_FALSE(list_job_cgroups(root.path(), "n1"));
  root.make_directory("/sys/fs/cgroup/freezer/slurm");
  EXPECT_THAT(list_job_cgroups(root.path(), "n1"), Optional(IsEmpty()));
}

TEST(JobCgroups, WhatIsNoJobIsLeftOut) {
  const FakeRoot root;
  for (const char* name : {"job_", "job_x", "job_1x", "jobs", "job_-1", "uid_x/job_5"}) {
    root.make_directory(std::string("/sys/fs/cgroup/freezer/slurm/uid_1/") + name);
  }
  root.write("/sys/fs/cgroup/freezer/slurm/uid_1/job_9", "a file");
  EXPECT_THAT(jobs(root, "n1"), IsEmpty());
}

TEST(JobCgroups, ACgroupMadeAnewMarksAnotherRun) {
  const FakeRoot root;
  const char* cgroup = "/sys/fs/cgroup/freezer/slurm/uid_1/job_5";
  root.make_directory(cgroup);
  const auto before = *list_job_cgroups(root.path(), "n1");
  EXPECT_EQ(before.front().marks, list_job_cgroups(root.path(), "n1")->front().marks);
  root.make_directory("/sys/fs/cgroup/freezer/slurm/uid_1/next");  // its inode is not free
  std::filesystem::rename(root.at(cgroup), root.at("/sys/fs/cgroup/freezer/slurm/uid_1/old"));
  std::filesystem::rename(root.at("/sys/fs/cgroup/freezer/slurm/uid_1/next"), root.at(cgroup));
  EXPECT_NE(before.front().marks, list_job_cgroups(root.path(), "n1")->front().marks);
}

}  // namespace
}  // namespace warpsight::slurm
