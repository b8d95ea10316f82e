#include "sources/nvml/throttle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/log.h"
#include "sources/nvml/fake_node.h"

namespace warpsight::nvml {
namespace {

using ::testing::DoubleNear;
using testing::FakeNode;
using ::testing::Optional;

struct Row {
  unsigned bit;
  const char* cause;
  bool power, thermal, software, hardware;
};

class ThrottleTable : public ::testing::TestWithParam<Row> {};

TEST_P(ThrottleTable, EachBitHasItsCauseAndBuckets) {
  const Row& row = GetParam();
  FakeNode node("gpus: [{model: h100, readings: {clocks_event_reasons: " + std::to_string(row.bit) +
                "}}]");
  ASSERT_TRUE(node.collect());
  if (row.cause != nullptr) {
    EXPECT_EQ(
        node.value(Metric::gpu_throttle_reason, "gpu.throttle.cause=" + std::string(row.cause)), 1);
  }
  double active = 0;
  for (const Point& point : node.points(Metric::gpu_throttle_reason)) active += point.value;
  EXPECT_EQ(active, row.cause != nullptr ? 1 : 0);
  EXPECT_EQ(node.value(Metric::gpu_throttle_power_active), row.power ? 1 : 0);
  EXPECT_EQ(node.value(Metric::gpu_throttle_thermal_active), row.thermal ? 1 : 0);
  EXPECT_EQ(node.value(Metric::gpu_throttle_sw_active), row.software ? 1 : 0);
  EXPECT_EQ(node.value(Metric::gpu_throttle_hw_active), row.hardware ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Nvml, ThrottleTable,
                         ::testing::Values(Row{0x000, nullptr, false, false, false, false},
                                           Row{0x001, nullptr, false, false, false, false},
                                           Row{0x002, "applications_clocks", false, false, true,
                                               false},
                                           Row{0x004, "sw_power_cap", true, false, true, false},
                                           Row{0x008, "hw_slowdown", false, false, false, true},
                                           Row{0x010, "sync_boost", false, false, true, false},
                                           Row{0x020, "sw_thermal", false, true, true, false},
                                           Row{0x040, "hw_thermal", false, true, false, true},
                                           Row{0x080, "hw_power_brake", true, false, false, true},
                                           Row{0x100, "display_clocks", false, false, true, false},
                                           Row{0x800, "unknown_0x800", false, false, false, true}));

TEST(NvmlThrottle, BecomingActiveIsAnEventBeingActiveIsNot) {
  FakeNode node(R"(
gpus: [{model: h100, readings: {clocks_event_reasons:
        {steps: [[0, 4], [3s, 0], [5s, 4], [8s, 0], [9s, 4]]}}}])");
  ASSERT_TRUE(node.collect());
  EXPECT_EQ(node.value(Metric::gpu_throttle_events, "gpu.throttle.cause=sw_power_cap"), 0);
  node.run(12);
  EXPECT_EQ(node.value(Metric::gpu_throttle_events, "gpu.throttle.cause=sw_power_cap"), 2);
  EXPECT_EQ(node.value(Metric::gpu_throttle_events, "gpu.throttle.cause=hw_thermal"), 0);
}

TEST(NvmlThrottle, TimeComesFromTheDriversCountersInSeconds) {
  FakeNode node(R"(
driver: {uptime: 0s}
gpus: [{model: h100, readings: {throttle_sw_power_cap: 12.5, throttle_hw_thermal: 3,
        throttle_sw_thermal: 4, throttle_hw_power_brake: 5, throttle_sync_boost: 6}}])");
  ASSERT_TRUE(node.tick());
  const auto time = [&](const std::string& cause) {
    return node.value(Metric::gpu_throttle_time, "gpu.throttle.cause=" + cause);
  };
  EXPECT_THAT(time("sw_power_cap"), Optional(DoubleNear(12.5, 1e-6)));
  EXPECT_THAT(time("hw_thermal"), Optional(DoubleNear(3, 1e-6)));
  EXPECT_THAT(time("sw_thermal"), Optional(DoubleNear(4, 1e-6)));
  EXPECT_THAT(time("hw_power_brake"), Optional(DoubleNear(5, 1e-6)));
  EXPECT_THAT(time("sync_boost"), Optional(DoubleNear(6, 1e-6)));
}

TEST(NvmlThrottle, WithoutThoseFieldsTheViolationCountersStandIn) {
  FakeNode node(R"(
driver: {uptime: 0s}
gpus: [{model: h100, unsupported: [nvmlDeviceGetFieldValues],
        readings: {throttle_sw_power_cap: 12.5, violation_thermal: 3}}])");
  ASSERT_TRUE(node.tick());
  EXPECT_THAT(node.value(Metric::gpu_throttle_time, "gpu.throttle.cause=sw_power_cap"),
              Optional(DoubleNear(12.5, 1e-6)));
  EXPECT_THAT(node.value(Metric::gpu_throttle_time, "gpu.throttle.cause=hw_thermal"),
              Optional(DoubleNear(3, 1e-6)));
  EXPECT_EQ(node.absence(Metric::gpu_throttle_time, "gpu.throttle.cause=hw_power_brake"),
            Absence::unsupported);
}

TEST(NvmlThrottle, AGpuWithoutReasonsIsSkippedForThemAloneAndLoggedOnce) {
  const LogCapture log;
  FakeNode node(R"(
gpus: [{model: h100, unsupported: [nvmlDeviceGetCurrentClocksEventReasons,
        nvmlDeviceGetCurrentClocksThrottleReasons]}])");
  ASSERT_TRUE(node.collect());
  node.run(3);
  EXPECT_FALSE(node.has(Metric::gpu_throttle_reason));
  EXPECT_FALSE(node.has(Metric::gpu_throttle_power_active));
  EXPECT_TRUE(node.has(Metric::gpu_power_limit));
  EXPECT_EQ(node.absence(Metric::gpu_throttle_reason), Absence::unsupported);
  EXPECT_EQ(std::ranges::count_if(log.lines(),
                                  [](const std::string& line) {
                                    return line.find("throttle reasons") != std::string::npos;
                                  }),
            1);
}

}  // namespace
}  // namespace warpsight::nvml
