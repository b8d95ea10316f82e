#include "sources/nvml/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sources/nvml/fake_node.h"
#include "sources/sysfs/fake_root.h"

namespace warpsight::nvml {
namespace {

using ::testing::DoubleNear;
using testing::FakeNode;
using ::testing::Optional;
using ::testing::SizeIs;
using warpsight::testing::FakeRoot;

constexpr double kGiB = 1024.0 * 1024 * 1024;

TEST(NvmlProcesses, EachIsAnEntityBelowItsGpuWithNameAndMemory) {
  FakeNode node(R"(
gpus: [{model: h100, count: 2, load: 1}]
processes:
  - {gpu: 0, pid: 77, name: /usr/bin/python3, memory: 3GiB, sm: 1}
  - {gpu: 1, pid: 78, name: worker, memory: 1GiB, sm: 0.25}
  - {gpu: 1, pid: 79, name: mps-client, memory: 2GiB, sm: 0.75, type: mps})");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_process_memory_used,
                       "gpu.index=0 process.pid=77 process.executable.name=python3"),
            3 * kGiB);
  EXPECT_EQ(node.value(Metric::gpu_process_memory_used, "gpu.index=1 process.pid=79"), 2 * kGiB);
  EXPECT_THAT(node.points(Metric::gpu_process_memory_used, ""), SizeIs(3));
}

TEST(NvmlProcesses, UtilizationIsAShareOfEachAndZeroForOneThatIdles) {
  FakeNode node(R"(
gpus: [{model: h100, load: 1}]
processes:
  - {gpu: 0, pid: 77, memory: 1GiB, sm: 0.6}
  - {gpu: 0, pid: 78, memory: 1GiB, sm: 0})");
  ASSERT_TRUE(node.collect());
  std::optional<double> busy;
  std::optional<double> idle;
  for (int tick = 0; tick < 12; ++tick) {
    ASSERT_TRUE(node.tick());
    if (const auto v =
            node.value(Metric::gpu_process_utilization, "process.pid=77 gpu.task.type=compute")) {
      busy = v;
    }
    if (const auto v =
            node.value(Metric::gpu_process_utilization, "process.pid=78 gpu.task.type=compute")) {
      idle = v;
    }
  }
  EXPECT_THAT(busy, Optional(DoubleNear(0.6, 0.02)));
  EXPECT_EQ(idle, 0);
  EXPECT_FALSE(node.has(Metric::gpu_process_utilization, "gpu.task.type=encoder"));
}

TEST(NvmlProcesses, ThoseThatEndAreGoneAndTheTableDoesNotGrow) {
  FakeNode node(R"(
gpus: [{model: h100, load: 1}]
processes: [{gpu: 0, pid: 100, memory: 1GiB, sm: 1, every: 10s, alive: 6s}])");
  ASSERT_TRUE(node.collect());
  node.run(30);
  const size_t size = node.entities.size();
  size_t ended = 0;
  for (int tick = 0; tick < 600; ++tick) {
    ASSERT_TRUE(node.tick());
    ended += node.batch.gone.size();
  }
  EXPECT_GE(ended, 55U);
  EXPECT_LE(node.entities.size(), size + 4);
}

TEST(NvmlProcesses, AListThatFailsForAMomentEndsNobody) {
  FakeNode node(R"(
gpus: [{model: h100, load: 1}]
processes: [{gpu: 0, pid: 100, memory: 1GiB, sm: 1}]
faults: [{fault: error, at: 3s, for: 10s, error: UNKNOWN,
          call: [nvmlDeviceGetComputeRunningProcesses_v3]}])");
  ASSERT_TRUE(node.collect());
  const EntityId entity = node.points(Metric::gpu_process_memory_used)[0].entity;
  node.run(12);
  EXPECT_TRUE(node.entities.alive(entity));
  EXPECT_EQ(node.absence(Metric::gpu_process_memory_used), Absence::failed);
  node.run(10);
  EXPECT_TRUE(node.entities.alive(entity));
}

TEST(NvmlProcesses, MoreThanTheBoundAreLeftOut) {
  std::string scenario = "gpus: [{model: h100}]\nprocesses:\n";
  for (int pid = 1000; pid < 1600; ++pid) {
    scenario += "  - {gpu: 0, pid: " + std::to_string(pid) + ", memory: 1MiB}\n";
  }
  FakeNode node(scenario);
  ASSERT_TRUE(node.collect());
  EXPECT_THAT(node.points(Metric::gpu_process_memory_used), SizeIs(ProcessList::kMaxProcesses));
}

TEST(NvmlProcesses, RealProcessesThatAFilePutsOnASimulatedGpuAreReadAsAnyOther) {
  const FakeRoot root;
  const std::string pid = std::to_string(getpid());
  root.write("/list", "0 " + pid + " 512 30\n");
  FakeNode node("processes_from: " + root.path() + "/list\ngpus: [{model: h100, load: 0.5}]");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_process_memory_used,
                       "process.pid=" + pid + " process.executable.name=warpsight_tests"),
            0.5 * kGiB);
  std::optional<double> share;
  for (int tick = 0; tick < 12; ++tick) {
    ASSERT_TRUE(node.tick());
    if (const auto v = node.value(Metric::gpu_process_utilization,
                                  "process.pid=" + pid + " gpu.task.type=compute")) {
      share = v;
    }
  }
  EXPECT_EQ(share, 0.3);
  root.write("/list", "");
  node.run(12);
  EXPECT_FALSE(node.has(Metric::gpu_process_memory_used, "process.pid=" + pid));
}

TEST(NvmlProcesses, TheNameComesFromProcfsAndMayBeUnreadable) {
  const FakeRoot root;
  root.write("/proc/77/comm", "pt_main_thread\n");
  root.link("/proc/78/exe", "/opt/vllm/bin/python3.12");
  EXPECT_EQ(executable_name(root.path(), 77), "pt_main_thread");
  EXPECT_EQ(executable_name(root.path(), 78), "python3.12");
  EXPECT_EQ(executable_name(root.path(), 79), "");
}

}  // namespace
}  // namespace warpsight::nvml
