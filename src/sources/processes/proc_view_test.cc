#include "sources/processes/proc_view.h"

#include <gtest/gtest.h>

#include "sources/sysfs/fake_root.h"

namespace warpsight::processes {
namespace {

using warpsight::testing::FakeRoot;

TEST(ProcView, TheFirstPidNamespaceIsTheMachines) {
  const FakeRoot root;
  EXPECT_FALSE(look_at_proc(root.path()).host_pids);
  root.link("/proc/self/ns/pid", "pid:[4026531836]");
  EXPECT_TRUE(look_at_proc(root.path()).host_pids);
  root.link("/proc/self/ns/pid", "pid:[4026532999]");
  EXPECT_FALSE(look_at_proc(root.path()).host_pids);
}

TEST(ProcView, KernelThreadsInOurNamespaceShowThatItIsTheMachines) {
  const FakeRoot root;
  root.link("/proc/self/ns/pid", "pid:[7]");
  root.link("/proc/1/ns/pid", "pid:[7]");
  root.write("/proc/2/comm", "python3\n");
  EXPECT_FALSE(look_at_proc(root.path()).host_pids);
  root.write("/proc/2/comm", "kthreadd\n");
  EXPECT_TRUE(look_at_proc(root.path()).host_pids);
  root.link("/proc/1/ns/pid", "pid:[8]");
  EXPECT_FALSE(look_at_proc(root.path()).host_pids) << "the machine's /proc, seen from elsewhere";
}

TEST(ProcView, HiddenProcessesAreToldByTheMount) {
  const FakeRoot root;
  const auto mount = [&](std::string_view options) {
    root.write("/proc/self/mountinfo",
               "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n22 20 0:21 / /proc rw,nosuid shared:5 - proc "
               "proc rw," +
                   std::string(options) + "\n");
    return look_at_proc(root.path()).hidepid;
  };
  EXPECT_EQ(mount("gid=4"), "");
  EXPECT_EQ(mount("hidepid=0"), "");
  EXPECT_EQ(mount("gid=4,hidepid=2"), "2");
  EXPECT_EQ(mount("hidepid=invisible"), "invisible");
}

TEST(ProcView, PtraceIsAMatterOfCapabilities) {
  const FakeRoot root;
  root.write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000080000\n");
  EXPECT_TRUE(look_at_proc(root.path()).ptrace);
  root.write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000040000\n");
  EXPECT_FALSE(look_at_proc(root.path()).ptrace);
}

}  // namespace
}  // namespace warpsight::processes
