// What is read, in which unit, and what is said of what cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sources/nvml/fake_node.h"
#include "sources/nvml/memory.h"
#include "sources/nvml/nvlink.h"
#include "sources/nvml/pcie.h"

namespace warpsight::nvml {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using testing::FakeNode;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr double kGiB = 1024.0 * 1024 * 1024;

TEST(NvmlReadings, TheFirstRunReadsEveryClassInPublicUnits) {
  FakeNode node(R"(
gpus: [{model: h200, load: 0, nvlink: {links: 0}, fabric: false, readings: {
  power: 412, power_limit: 700, temperature: 61, memory_temperature: 70, temperature_margin: 26,
  clock_sm: 1980, clock_graphics: 1980, clock_memory: 3201, clock_video: 1545, utilization: 0.75,
  memory_utilization: 0.25, performance_state: 2, memory_used: 25769803776, bar1_used: 1048576,
  pcie_replays: 7, energy: 1234.5}}])");
  ASSERT_TRUE(node.collect());
  EXPECT_THAT(node.value(Metric::gpu_power_draw), Optional(DoubleNear(412, 0.01)));
  EXPECT_EQ(node.value(Metric::gpu_power_limit), 700);
  EXPECT_THAT(node.value(Metric::gpu_utilization), Optional(DoubleNear(0.75, 1e-9)));
  EXPECT_THAT(node.value(Metric::gpu_memory_utilization), Optional(DoubleNear(0.25, 1e-9)));
  EXPECT_EQ(node.value(Metric::gpu_temperature, "gpu.temperature.sensor=edge"), 61);
  EXPECT_EQ(node.value(Metric::gpu_temperature, "gpu.temperature.sensor=memory"), 70);
  EXPECT_EQ(node.value(Metric::gpu_clock_frequency, "gpu.clock.type=sm"), 1980e6);
  EXPECT_EQ(node.value(Metric::gpu_clock_frequency, "gpu.clock.type=memory"), 3201e6);
  EXPECT_EQ(node.value(Metric::gpu_power_state), 2);
  EXPECT_EQ(node.value(Metric::gpu_memory_used), 24 * kGiB);
  EXPECT_EQ(node.value(Metric::gpu_memory_bar1_used), 1048576);
  EXPECT_EQ(node.value(Metric::gpu_pcie_replays), 7);
  EXPECT_THAT(node.value(Metric::gpu_energy_consumption), Optional(DoubleNear(1234.5, 0.01)));
  EXPECT_EQ(node.value(Metric::gpu_pcie_link_width_max), 16);
  EXPECT_EQ(node.value(Metric::gpu_devices, "gpu.state=expected gpu.vendor=nvidia"), 1);
}

TEST(NvmlReadings, UsedFreeAndReservedMemoryMakeUpTheTotal) {
  FakeNode node("gpus: [{model: h100, readings: {memory_used: 1073741824}}]");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_memory_used), kGiB);
  EXPECT_GT(node.value(Metric::gpu_memory_reserved), 0);
  EXPECT_EQ(node.number(Metric::gpu_memory_used) + node.number(Metric::gpu_memory_free) +
                node.number(Metric::gpu_memory_reserved),
            node.number(Metric::gpu_memory_total));
}

TEST(NvmlReadings, TheGpuCarriesItsIdentityAndIsLabelledSimulated) {
  FakeNode node("gpus: [{model: h200, uuid: GPU-1234, pci: \"0000:06:00.0\"}]");
  ASSERT_TRUE(node.collect());
  const auto points = node.points(Metric::gpu_power_limit);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(node.attributes(points[0].entity),
            "gpu.index=0 gpu.uuid=GPU-1234 gpu.model=NVIDIA H200 gpu.vendor=nvidia simulated=true");
  EXPECT_EQ(node.entities.attribute(points[0].entity, ".pci"), "0000:06:00.0");
  EXPECT_TRUE(node.has(Metric::gpu_devices, "gpu.state=expected simulated=true"));
}

TEST(NvmlReadings, InfoIsOneSeriesWithVersionsAddressesAndModes) {
  FakeNode node(R"(
driver: {version: 580.159.04, cuda: 13.0}
gpus: [{model: h200, serial: "165", pci: "0000:06:00.0", virtualization: host_vgpu,
        host_vgpu: sriov}])");
  ASSERT_TRUE(node.collect());
  ASSERT_THAT(node.points(Metric::gpu_info), SizeIs(1));
  const std::string all = node.attributes(node.points(Metric::gpu_info)[0].entity);
  for (const char* part :
       {"gpu.driver.version=580.159.04", "gpu.cuda.version=13.0", "gpu.serial=165",
        "gpu.pci.address=0000:06:00.0", "gpu.architecture=Hopper", "gpu.compute_capability=9.0",
        "gpu.mig.mode=disabled", "gpu.virtualization.mode=host_vgpu",
        "gpu.virtualization.host_mode=sriov", "gpu.persistence_mode=", "gpu.vbios.version=",
        "gpu.gsp.version=", "gpu.inforom.version=", "gpu.minor_number=0", "gpu.numa_node="}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
  EXPECT_EQ(node.value(Metric::gpu_info), 1);
  EXPECT_EQ(node.points(Metric::gpu_info)[0].period_ds, 10);
}

TEST(NvmlReadings, SamplesCarryTheDriversTimesAndNoneIsLostOrDoubled) {
  FakeNode node("gpus: [{model: h100, load: 0.5}]");
  ASSERT_TRUE(node.collect());
  // The first drain goes back one period of its class.
  EXPECT_THAT(node.points(Metric::gpu_power_draw), SizeIs(AllOf(Ge(98U), Le(101U))));
  Time last = node.points(Metric::gpu_power_draw).back().time;
  size_t count = 0;
  for (int tick = 0; tick < 20; ++tick) {
    ASSERT_TRUE(node.tick());
    for (const Point& point : node.points(Metric::gpu_power_draw)) {
      EXPECT_EQ(point.time - last, std::chrono::milliseconds{20});
      last = point.time;
      ++count;
    }
  }
  EXPECT_GE(count, 900U);
  EXPECT_EQ(node.calls("nvmlDeviceGetPowerUsage"), 0U);
  EXPECT_EQ(node.calls("nvmlDeviceGetUtilizationRates"), 0U);
}

TEST(NvmlReadings, PowerSamplesAddUpToTheEnergyCounter) {
  FakeNode node("gpus: [{model: h100, load: {wave: {min: 0, max: 1, period: 7s}}}]");
  ASSERT_TRUE(node.collect());
  Point first{};
  Point newest{};
  std::vector<Point> samples;
  for (int tick = 0; tick < 45; ++tick) {
    ASSERT_TRUE(node.tick());
    for (const Point& point : node.points(Metric::gpu_power_draw)) samples.push_back(point);
    for (const Point& point : node.points(Metric::gpu_energy_consumption)) {
      if (first.time == Time{}) first = point;
      newest = point;
    }
  }
  double joules = 0;
  for (const Point& sample : samples) {
    if (sample.time > first.time && sample.time <= newest.time) joules += 0.02 * sample.value;
  }
  const double counted = newest.value - first.value;
  EXPECT_GT(counted, 5000);
  EXPECT_NEAR(joules / counted, 1, 0.01);
}

TEST(NvmlReadings, WithoutSampleBuffersThePlainGettersArePolled) {
  FakeNode node(R"(
gpus: [{model: h100, readings: {power: 300, utilization: 0.4},
        unsupported: [nvmlDeviceGetSamples]}])");
  ASSERT_TRUE(node.collect());
  for (int tick = 0; tick < 3; ++tick) {
    ASSERT_TRUE(node.tick());
    EXPECT_THAT(node.points(Metric::gpu_power_draw), SizeIs(1));
    EXPECT_EQ(node.value(Metric::gpu_power_draw), 300);
    EXPECT_THAT(node.value(Metric::gpu_utilization), Optional(DoubleNear(0.4, 1e-9)));
  }
  EXPECT_EQ(node.absence(Metric::gpu_power_draw), std::nullopt);
}

TEST(NvmlReadings, PcieThroughputIsNeverAskedOfTheBlockingCall) {
  FakeNode node("gpus: [{model: h100, load: 1, readings: {pcie_tx: 4194304, pcie_rx: 8388608}}]");
  ASSERT_TRUE(node.collect());
  EXPECT_FALSE(node.has(Metric::gpu_pcie_throughput));
  ASSERT_TRUE(node.tick());
  EXPECT_THAT(node.value(Metric::gpu_pcie_throughput, "gpu.interconnect.direction=transmit"),
              Optional(DoubleNear(4194304, 5e4)));
  EXPECT_THAT(node.value(Metric::gpu_pcie_throughput, "gpu.interconnect.direction=receive"),
              Optional(DoubleNear(8388608, 5e4)));
}

TEST(NvmlReadings, PcieBytesKeepCountingThoughTheDriversCounterWraps) {
  FakeNode node("gpus: [{model: h100, readings: {pcie_tx: 5.0e10, pcie_rx: 1000}}]");
  ASSERT_TRUE(node.collect());
  const double before = node.number(Metric::gpu_pcie_io, "gpu.interconnect.direction=transmit");
  node.run(20);
  const double after = node.number(Metric::gpu_pcie_io, "gpu.interconnect.direction=transmit");
  EXPECT_NEAR(after - before, 1e12, 1e6);
  EXPECT_EQ(unwrapped_growth(0xffffffff, 4, 0), 5);
  EXPECT_EQ(unwrapped_growth(10, 20, 4294967296.0 + 100), 4294967306.0);
  EXPECT_EQ(unwrapped_growth(10, 20, 3e9), 4294967306.0);
}

TEST(NvmlReadings, WithoutGpmPcieBytesAreAbsentRatherThanWrong) {
  FakeNode node("gpus: [{model: a100, pcie: {counters: true}}]");
  ASSERT_TRUE(node.collect());
  EXPECT_FALSE(node.has(Metric::gpu_pcie_io));
  EXPECT_EQ(node.absence(Metric::gpu_pcie_io), Absence::unsupported);
}

TEST(NvmlReadings, GpmGivesSharesBetweenTwoTicks) {
  FakeNode node("gpus: [{model: h100, readings: {sm_active: 0.956, tensor_active: 0.928}}]");
  ASSERT_TRUE(node.collect());
  EXPECT_FALSE(node.has(Metric::gpu_sm_active));
  ASSERT_TRUE(node.tick());
  EXPECT_THAT(node.value(Metric::gpu_sm_active), Optional(DoubleNear(0.956, 1e-3)));
  EXPECT_THAT(node.value(Metric::gpu_pipe_tensor_active), Optional(DoubleNear(0.928, 1e-3)));
  node.reset_calls();
  ASSERT_TRUE(node.tick(0.05));
  EXPECT_EQ(node.calls("nvmlGpmSampleGet"), 0U);
}

TEST(NvmlReadings, GpmIsSaidOnceToBeMissingBeforeHopper) {
  FakeNode node("gpus: [{model: t4}]");
  ASSERT_TRUE(node.collect());
  node.run(3);
  EXPECT_EQ(node.absence(Metric::gpu_sm_active), Absence::unsupported);
  EXPECT_EQ(std::ranges::count(node.history.absences, Metric::gpu_sm_active, &Missing::metric), 1);
  EXPECT_EQ(node.calls("nvmlGpmSampleGet"), 0U);
}

TEST(NvmlReadings, GpmAndProcessesCanBeSwitchedOff) {
  FakeNode node(R"(
gpus: [{model: h100, load: 1}]
processes: [{gpu: 0, pid: 77, memory: 1GiB}])");
  node.set("gpm", "false");
  node.set("processes", "false");
  ASSERT_TRUE(node.collect());
  node.run(2);
  EXPECT_EQ(node.calls("nvmlGpmSampleGet"), 0U);
  EXPECT_EQ(node.calls("nvmlDeviceGetComputeRunningProcesses_v3"), 0U);
}

TEST(NvmlReadings, NvLinkTotalsBecomeBytesPerLink) {
  FakeNode node(R"(
driver: {uptime: 0s}
gpus: [{model: h100, nvlink: {links: 4}, readings: {nvlink_tx: 40960000, nvlink_rx: 0,
        nvlink_links_up: 3, nvlink_replay_errors: 5}}])");
  ASSERT_TRUE(node.tick(10));
  EXPECT_EQ(node.value(Metric::gpu_interconnect_links_active, "gpu.interconnect.type=nvlink"), 3);
  double sum = 0;
  for (const Point& point :
       node.points(Metric::gpu_interconnect_io, "gpu.interconnect.direction=transmit")) {
    sum += point.value;
  }
  EXPECT_NEAR(sum, 409600000, 1e5);
  double errors = 0;
  for (const Point& point :
       node.points(Metric::gpu_interconnect_errors, "gpu.interconnect.error=replay")) {
    errors += point.value;
  }
  EXPECT_EQ(errors, 5);
}

TEST(NvmlReadings, AGpuWithoutLinksHasNoLinkSeries) {
  FakeNode node("gpus: [{model: h200, nvlink: {links: 0}, fabric: false}]");
  ASSERT_TRUE(node.collect());
  ASSERT_TRUE(node.tick());
  EXPECT_FALSE(node.has(Metric::gpu_interconnect_throughput));
  EXPECT_FALSE(node.has(Metric::gpu_interconnect_io));
  EXPECT_EQ(node.absence(Metric::gpu_interconnect_links_active), Absence::unsupported);
  EXPECT_EQ(node.absence(Metric::gpu_fabric_healthy), Absence::unsupported);
}

TEST(NvmlReadings, MarginsAreDistancesAndThresholdsNeverLimits) {
  FakeNode node(R"(
gpus: [{model: h200, temperature: {limits: margins, shutdown: 95, slowdown: 89, max: 87},
        readings: {temperature: 33, temperature_margin: 54}}])");
  ASSERT_TRUE(node.collect());
  EXPECT_FALSE(node.has(Metric::gpu_temperature_limit));
  EXPECT_EQ(node.absence(Metric::gpu_temperature_limit), Absence::unsupported);
  EXPECT_EQ(node.value(Metric::gpu_temperature_margin, "gpu.temperature.threshold=slowdown"), 56);
  EXPECT_EQ(node.value(Metric::gpu_temperature_margin, "gpu.temperature.threshold=max_operating"),
            54);
  EXPECT_EQ(node.value(Metric::gpu_temperature_margin, "gpu.temperature.threshold=shutdown"), 62);
}

TEST(NvmlReadings, OlderPartsHaveAbsoluteLimits) {
  FakeNode node("gpus: [{model: t4, temperature: {shutdown: 96, slowdown: 93, max: 85}}]");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_temperature_limit, "gpu.temperature.threshold=slowdown"), 93);
  EXPECT_EQ(node.value(Metric::gpu_temperature_limit, "gpu.temperature.threshold=shutdown"), 96);
  EXPECT_EQ(node.absence(Metric::gpu_temperature_margin), Absence::unsupported);
}

TEST(NvmlReadings, FansGiveTheHighestShare) {
  FakeNode node("gpus: [{model: t4, fans: 2, readings: {fan_speed: 0.55}}]");
  ASSERT_TRUE(node.collect());
  EXPECT_THAT(node.value(Metric::gpu_fan_speed), Optional(DoubleNear(0.55, 0.011)));
  FakeNode passive("gpus: [{model: h100, fans: 0}]");
  ASSERT_TRUE(passive.collect());
  EXPECT_FALSE(passive.has(Metric::gpu_fan_speed));
  EXPECT_EQ(passive.absence(Metric::gpu_fan_speed), Absence::unsupported);
}

TEST(NvmlReadings, WhatIsUnsupportedIsSaidOnceAndNotAskedAgain) {
  FakeNode node("gpus: [{model: h100, unsupported: [nvmlDeviceGetClockInfo, field:230]}]");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.absence(Metric::gpu_clock_frequency), Absence::unsupported);
  EXPECT_EQ(node.absence(Metric::gpu_recovery_action), Absence::unsupported);
  EXPECT_FALSE(node.has(Metric::gpu_clock_frequency));
  node.reset_calls();
  node.run(12);
  EXPECT_EQ(node.calls("nvmlDeviceGetClockInfo"), 0U);
  EXPECT_EQ(
      std::ranges::count(node.history.absences, Metric::gpu_clock_frequency, &Missing::metric), 4);
}

TEST(NvmlReadings, AFailureIsSaidOnceAndTriedAgain) {
  FakeNode node(R"(
gpus: [{model: h100, readings: {temperature: 50}}]
faults: [{fault: error, at: 2s, for: 3s, gpu: 0, error: UNKNOWN,
          call: [nvmlDeviceGetTemperature, nvmlDeviceGetTemperatureV]}])");
  ASSERT_TRUE(node.collect());
  EXPECT_TRUE(node.has(Metric::gpu_temperature, "gpu.temperature.sensor=edge"));
  node.run(4);
  EXPECT_FALSE(node.has(Metric::gpu_temperature, "gpu.temperature.sensor=edge"));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit));
  EXPECT_EQ(node.absence(Metric::gpu_temperature), Absence::failed);
  EXPECT_EQ(std::ranges::count(node.history.absences, Metric::gpu_temperature, &Missing::metric),
            1);
  node.run(2);
  EXPECT_EQ(node.value(Metric::gpu_temperature, "gpu.temperature.sensor=edge"), 50);
}

TEST(NvmlReadings, GarbageFromTheDriverHarmsNobody) {
  FakeNode node(R"(
gpus: [{model: h100, count: 2}]
faults: [{fault: garbage, gpu: 0}])");
  ASSERT_TRUE(node.collect());
  node.run(12);
  EXPECT_TRUE(node.has(Metric::gpu_power_limit, "gpu.index=1"));
  for (const Point& point : node.batch.points) {
    for (const char c : node.attributes(point.entity)) {
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << node.attributes(point.entity);
    }
  }
}

TEST(NvmlReadings, EveryGetterUnsupportedLeavesTheGpuAndSaysSo) {
  FakeNode node("gpus: [{model: h100}]\nfaults: [{fault: unsupported}]");
  ASSERT_TRUE(node.collect());
  node.run(12);
  EXPECT_FALSE(node.has(Metric::gpu_memory_used, ""));
  EXPECT_EQ(node.absence(Metric::gpu_memory_used, ""), Absence::unsupported);
  EXPECT_EQ(node.absence(Metric::gpu_ecc_errors, ""), Absence::unsupported);
  EXPECT_EQ(node.absence(Metric::gpu_power_draw, ""), Absence::unsupported);
  node.reset_calls();
  node.run(1);
  EXPECT_EQ(node.calls("nvmlDeviceGetClockInfo"), 0U);
  EXPECT_EQ(node.calls("nvmlDeviceGetFieldValues"), 0U);
}

TEST(NvmlReadings, AnOldDriverYieldsFewerMetricsNeverACrash) {
  if (!std::filesystem::exists(testing::old_driver_path())) {
    GTEST_SKIP() << testing::old_driver_path() << " is not built";
  }
  FakeNode node(
      "gpus: [{model: t4, readings: {memory_used: 1073741824, power: 60}}]\n"
      "processes: [{gpu: 0, pid: 5, memory: 1GiB}]",
      testing::old_driver_path());
  ASSERT_TRUE(node.collect());
  node.run(12);
  EXPECT_TRUE(node.has(Metric::gpu_memory_used));
  EXPECT_FALSE(node.has(Metric::gpu_memory_reserved));
  EXPECT_EQ(node.absence(Metric::gpu_memory_reserved), Absence::unsupported);
  // The old call's figure has the driver's own part in it.
  EXPECT_GT(node.number(Metric::gpu_memory_used), kGiB);
  EXPECT_TRUE(node.has(Metric::gpu_temperature, "gpu.temperature.sensor=edge"));
  EXPECT_TRUE(node.has(Metric::gpu_throttle_hw_active));
  EXPECT_EQ(node.absence(Metric::gpu_sm_active), Absence::unsupported);
  EXPECT_EQ(node.absence(Metric::gpu_row_remap_rows), Absence::unsupported);
}

TEST(NvmlReadings, MemoryOfAGpuThatIsANodeOfTheHostComesFromTheKernel) {
  const auto memory = parse_node_meminfo(
      "Node 4 MemTotal:       1024 kB\n"
      "Node 4 MemFree:         256 kB\n");
  EXPECT_EQ(memory.value_or(NodeMemory{}).total, 1024 * 1024);
  EXPECT_EQ(memory.value_or(NodeMemory{}).used, 768 * 1024);
  EXPECT_FALSE(parse_node_meminfo("Node 4 MemTotal: 1 kB\n"));
  EXPECT_FALSE(parse_node_meminfo("MemTotal: 1 kB\nMemFree: 2 kB\n"));
}

TEST(NvmlReadings, TheFabricIsHealthyWhenCompletedWithoutComplaint) {
  namespace fabric = abi::fabric;
  abi::FabricInfoV3 info{};
  info.version = abi::kFabricInfoV3;
  info.state = fabric::kCompleted;
  EXPECT_TRUE(fabric_is_healthy(info));
  info.health_summary = fabric::kSummaryLimited;
  EXPECT_FALSE(fabric_is_healthy(info));
  info.version = abi::kFabricInfoV2;
  EXPECT_TRUE(fabric_is_healthy(info));
  info.health_mask = fabric::kHealthTrue << fabric::kDegradedBwShift;
  EXPECT_FALSE(fabric_is_healthy(info));
  info.health_mask = 2U << fabric::kIncorrectConfigurationShift;
  EXPECT_FALSE(fabric_is_healthy(info));
  info.health_mask = 0;
  info.state = fabric::kInProgress;
  EXPECT_FALSE(fabric_is_healthy(info));
}

}  // namespace
}  // namespace warpsight::nvml
