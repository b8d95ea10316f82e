// GPUs that come, go, fall off the bus, sleep or must be left alone; drivers that are reloaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "sources/nvml/fake_node.h"
#include "sources/nvml/pci_scan.h"
#include "sources/sysfs/fake_root.h"

namespace warpsight::nvml {
namespace {

using testing::FakeNode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using warpsight::testing::FakeRoot;

constexpr std::string_view kTwo =
    "gpus: [{model: h100, count: 2, pci: [\"0000:1b:00.0\", \"0000:43:00.0\"]}]\n";

std::string two(std::string_view rest) { return std::string(kTwo) + std::string(rest); }

TEST(NvmlInventory, AGpuThatFallsOffTheBusIsToldOnceAndTheOthersGoOn) {
  FakeNode node(two("faults: [{fault: lost, at: 5s, gpu: 1}]"));
  ASSERT_TRUE(node.collect());
  node.run(8);
  const auto lost = node.events("gpu.lost");
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost[0].severity, Severity::error);
  EXPECT_EQ(lost[0].attribute("gpu.pci.address"), "0000:43:00.0");
  EXPECT_THAT(node.attributes(lost[0].entity), HasSubstr("gpu.index=1"));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
  EXPECT_FALSE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  EXPECT_EQ(node.value(Metric::gpu_devices, "gpu.state=expected"), 2);
  node.run(30);
  EXPECT_THAT(node.events("gpu.lost"), SizeIs(1));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
}

TEST(NvmlInventory, ALostGpuIsLeftAloneButForARareLook) {
  FakeNode node("gpus: [{model: h100}]\nfaults: [{fault: lost, at: 5s}]");
  ASSERT_TRUE(node.collect());
  node.run(6);
  node.reset_calls();
  node.run(20);
  EXPECT_LE(node.calls("nvmlDeviceGetHandleByIndex_v2"), 3U);
  EXPECT_EQ(node.calls("nvmlDeviceGetClockInfo"), 0U);
  EXPECT_EQ(node.calls("nvmlDeviceGetMemoryInfo_v2"), 0U);
}

TEST(NvmlInventory, AGpuThatComesBackIsToldAndReadAgainUnderTheSameName) {
  FakeNode node(two("faults: [{fault: lost, at: 5s, for: 20s, gpu: 1}]"));
  ASSERT_TRUE(node.collect());
  const EntityId before = node.points(Metric::gpu_power_limit, "gpu.index=1")[0].entity;
  node.run(40);
  EXPECT_THAT(node.events("gpu.lost"), SizeIs(1));
  EXPECT_THAT(node.events("gpu.back"), SizeIs(1));
  const auto points = node.points(Metric::gpu_power_limit, "gpu.index=1");
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].entity, before);
}

TEST(NvmlInventory, AGpuThatWasLostFromTheStartIsReportedToo) {
  FakeNode node(two("faults: [{fault: lost, gpu: 0}]"));
  ASSERT_TRUE(node.collect());
  EXPECT_THAT(node.events("gpu.lost"), SizeIs(1));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  EXPECT_EQ(node.value(Metric::gpu_devices, "gpu.state=expected"), 2);
}

TEST(NvmlInventory, AGpuIsKnownByTheMinorNumberOfItsDeviceFileToo) {
  FakeNode node("gpus: [{model: h100, minor: 5}]");
  ASSERT_TRUE(node.collect());
  const EntityId facet = node.points(Metric::gpu_power_limit, "gpu.index=0")[0].entity;
  EXPECT_EQ(node.entities.attribute(facet, ".minor"), "5");
}

TEST(NvmlInventory, ADriverReloadIsSurvivedAndEntitiesStay) {
  FakeNode node(two("faults: [{fault: reload, at: 5s, for: 6s}]"));
  ASSERT_TRUE(node.collect());
  const EntityId before = node.points(Metric::gpu_power_limit, "gpu.index=1")[0].entity;
  bool failed = false;
  for (int tick = 0; tick < 20; ++tick) {
    const auto result = node.tick();
    if (!result) {
      failed = true;
      EXPECT_THAT(describe(result.error()), HasSubstr("NVML does not answer"));
      EXPECT_FALSE(result.error().hint.empty());
    }
  }
  EXPECT_TRUE(failed);
  EXPECT_THAT(node.events("gpu.driver.reloaded"), SizeIs(1));
  EXPECT_THAT(node.events("gpu.lost"), IsEmpty());
  const auto points = node.points(Metric::gpu_power_limit, "gpu.index=1");
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].entity, before);
}

TEST(NvmlInventory, AGpuThatIsPluggedInAppearsAndOneThatIsPulledOutGoes) {
  FakeNode node(
      two("faults: [{fault: vanish, at: 0s, for: 15s, gpu: 1}, "
          "{fault: vanish, at: 60s, gpu: 1}]"));
  ASSERT_TRUE(node.collect());
  EXPECT_FALSE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  node.run(30);
  ASSERT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  const EntityId entity = node.points(Metric::gpu_power_limit, "gpu.index=1")[0].entity;
  node.run(60);
  EXPECT_FALSE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  node.sweep();
  EXPECT_FALSE(node.entities.alive(entity));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
  EXPECT_EQ(node.value(Metric::gpu_devices, "gpu.state=expected"), 2);
}

TEST(NvmlInventory, SkippedDevicesAreNotReadUntilAdmitted) {
  FakeNode node(kTwo);
  node.skip = {"0000:1b:00.0"};
  ASSERT_TRUE(node.collect());
  node.run(3);
  EXPECT_FALSE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  node.source().admit("0000:1b:00.0");
  node.run(1);
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
}

TEST(NvmlInventory, OnlyTheNamedDeviceIsReadWhenOneIsNamed) {
  FakeNode node(kTwo);
  node.only = {"0000:43:00.0"};
  ASSERT_TRUE(node.collect());
  EXPECT_FALSE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
}

TEST(NvmlInventory, ACallThatHangsIsNamedWithItsGpu) {
  FakeNode node(two("faults: [{fault: hang, gpu: 1, call: nvmlDeviceGetBAR1MemoryInfo}]"));
  std::thread lane([&] { static_cast<void>(node.collect()); });
  // The first of the two calls is for the other GPU.
  while (node.calls("nvmlDeviceGetBAR1MemoryInfo") < 2 || !node.trace.inside_call()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(node.trace.call(), "nvmlDeviceGetBAR1MemoryInfo");
  EXPECT_EQ(node.trace.device(), "0000:43:00.0");
  node.release_hangs();
  lane.join();
  EXPECT_FALSE(node.trace.inside_call());
}

class NvmlSysfs : public ::testing::Test {
 protected:
  void add(const std::string& address, std::string_view status) {
    const std::string device = "/sys/bus/pci/devices/" + address + "/";
    root_.write(device + "vendor", "0x10de\n");
    root_.write(device + "class", "0x030200\n");
    root_.write(device + "numa_node", "1\n");
    root_.write(device + "power/control", "auto\n");
    root_.link(device + "driver", "../../../bus/pci/drivers/nvidia");
    set_status(address, status);
    root_.write("/proc/driver/nvidia/gpus/" + address + "/information",
                "Model: \t\t NVIDIA H100\nIRQ:   \t\t 33\nGPU UUID: \t GPU-asleep\n");
  }
  void set_status(const std::string& address, std::string_view status) {
    root_.write("/sys/bus/pci/devices/" + address + "/power/runtime_status", status);
  }

  FakeRoot root_;
};

TEST_F(NvmlSysfs, ASleepingGpuIsNotTouchedButStillDescribed) {
  add("0000:1b:00.0", "active\n");
  add("0000:43:00.0", "suspended\n");
  FakeNode node(kTwo);
  node.root = root_.path();
  ASSERT_TRUE(node.collect());
  node.run(12);
  // Every call that names a GPU by its address was for the one that is awake.
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
  EXPECT_FALSE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  EXPECT_EQ(node.calls("nvmlDeviceGetHandleByPciBusId_v2"), 1U);
  EXPECT_EQ(node.calls("nvmlDeviceGetHandleByIndex_v2"), 0U);
  node.run(60);
  EXPECT_EQ(node.calls("nvmlDeviceGetHandleByPciBusId_v2"), 1U);
  EXPECT_THAT(node.events("gpu.lost"), IsEmpty());
}

TEST_F(NvmlSysfs, WhenAllSleepNothingIsCalledAtAll) {
  add("0000:1b:00.0", "suspended\n");
  add("0000:43:00.0", "suspended\n");
  FakeNode node(kTwo);
  node.root = root_.path();
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_info,
                       "gpu.index=1 gpu.uuid=GPU-asleep gpu.power.runtime_status=suspended "
                       "gpu.pci.address=0000:43:00.0"),
            1);
  EXPECT_EQ(node.value(Metric::gpu_devices, "gpu.state=expected"), 2);
  node.run(70);
  EXPECT_EQ(node.calls(), 0U);
}

TEST_F(NvmlSysfs, AGpuThatWakesIsReadAndOneThatFallsAsleepIsLeftAtOnce) {
  add("0000:1b:00.0", "suspended\n");
  add("0000:43:00.0", "active\n");
  FakeNode node(kTwo);
  node.root = root_.path();
  ASSERT_TRUE(node.collect());
  set_status("0000:1b:00.0", "active\n");
  node.run(11);
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
  set_status("0000:43:00.0", "suspended\n");
  node.run(1);
  EXPECT_FALSE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  EXPECT_TRUE(node.has(Metric::gpu_info, "gpu.index=1 gpu.power.runtime_status=suspended"));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
}

TEST_F(NvmlSysfs, AGpuThatLeavesTheBusAndTheDriverGoes) {
  add("0000:1b:00.0", "active\n");
  add("0000:43:00.0", "active\n");
  FakeNode node(two("faults: [{fault: vanish, at: 5s, gpu: 1}]"));
  node.root = root_.path();
  ASSERT_TRUE(node.collect());
  const EntityId entity = node.points(Metric::gpu_power_limit, "gpu.index=1")[0].entity;
  root_.remove("/sys/bus/pci/devices/0000:43:00.0");
  node.run(25);
  EXPECT_FALSE(node.entities.alive(entity));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
}

TEST_F(NvmlSysfs, AGpuThatTheDriverHidesIsNotTakenForLost) {
  add("0000:1b:00.0", "active\n");
  add("0000:99:00.0", "active\n");
  FakeNode node(kTwo);
  node.root = root_.path();
  ASSERT_TRUE(node.collect());
  node.run(25);
  EXPECT_THAT(node.events("gpu.lost"), IsEmpty());
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=0"));
}

TEST_F(NvmlSysfs, HardwareThatIsGivenToAnotherDriverDoesNotCount) {
  EXPECT_FALSE(has_nvidia_hardware(root_.path()));
  add("0000:1b:00.0", "active\n");
  EXPECT_TRUE(has_nvidia_hardware(root_.path()));
  root_.link("/sys/bus/pci/devices/0000:1b:00.0/driver", "../../../bus/pci/drivers/vfio-pci");
  EXPECT_FALSE(has_nvidia_hardware(root_.path()));
  root_.remove("/sys/bus/pci/devices/0000:1b:00.0/driver");
  EXPECT_TRUE(has_nvidia_hardware(root_.path()));
}

TEST_F(NvmlSysfs, WhatTheDriverHasNotReadYetIsLeftOut) {
  root_.write("/proc/driver/nvidia/gpus/0000:1b:00.0/information",
              "Model: \t\t Unknown\nGPU UUID: \t GPU-\?\?\?\?-\?\?\nDevice Minor: \t 3\n");
  const ProcInformation found = read_proc_information(root_.path(), "0000:1b:00.0");
  EXPECT_EQ(found.model, "Unknown");
  EXPECT_EQ(found.uuid, "");
  EXPECT_EQ(found.minor, "3");
  EXPECT_EQ(read_proc_information(root_.path(), "0000:00:00.0").model, "");
}

}  // namespace
}  // namespace warpsight::nvml
