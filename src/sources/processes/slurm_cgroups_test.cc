#include "sources/processes/slurm_cgroups.h"

#include <gtest/gtest.h>

#include "sources/sysfs/fake_root.h"

namespace warpsight::processes {
namespace {

using warpsight::testing::FakeRoot;

TEST(SlurmCgroups, AreWhereSlurmPutsItsJobs) {
  for (const char* group :
       {"memory/slurm", "cpu,cpuacct/slurm_node01", "system.slice/slurmstepd.scope",
        "system.slice/node01_slurmstepd.scope"}) {
    const ManualClock clock;
    const FakeRoot root;
    root.write(std::string("/sys/fs/cgroup/") + group + "/cgroup.procs", "");
    EXPECT_TRUE(SlurmCgroups(clock, root.path()).there()) << group;
  }
}

TEST(SlurmCgroups, ADaemonsOwnGroupHoldsNoJobs) {
  const ManualClock clock;
  const FakeRoot root;
  EXPECT_FALSE(SlurmCgroups(clock, root.path()).there()) << "without any cgroups";
  root.write("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
  root.write("/sys/fs/cgroup/system.slice/slurmd.service/cgroup.procs", "");
  EXPECT_FALSE(SlurmCgroups(clock, root.path()).there());
}

TEST(SlurmCgroups, AreLookedForRarely) {
  ManualClock clock;
  const FakeRoot root;
  SlurmCgroups groups(clock, root.path());
  EXPECT_FALSE(groups.there());
  root.write("/sys/fs/cgroup/memory/slurm/tasks", "");
  EXPECT_FALSE(groups.there());
  clock.advance(SlurmCgroups::kLookAgain);
  EXPECT_TRUE(groups.there());
}

}  // namespace
}  // namespace warpsight::processes
