#include "sources/nvml/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "sources/nvml/fake_node.h"

namespace warpsight::nvml {
namespace {

using testing::FakeNode;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The thread that waits for events has its own pace: runs until the driver's event has arrived.
void collect_until_event(FakeNode& node, size_t count) {
  while (node.events("gpu.xid.raw").size() < count) {
    ASSERT_TRUE(node.collect());
    std::this_thread::yield();
  }
}

TEST(NvmlEvents, AnXidArrivesWithCodeGpuAndSource) {
  FakeNode node(R"(
gpus: [{model: h100, count: 2, pci: ["0000:1b:00.0", "0000:43:00.0"]}]
faults: [{fault: xid, at: 3s, gpu: 1, xid: 31}])");
  ASSERT_TRUE(node.collect());
  node.run(4);
  collect_until_event(node, 1);
  const Event event = node.events("gpu.xid.raw")[0];
  EXPECT_EQ(event.severity, Severity::warning);
  EXPECT_EQ(event.attribute("gpu.xid.code"), "31");
  EXPECT_EQ(event.attribute("gpu.pci.address"), "0000:43:00.0");
  EXPECT_EQ(event.attribute("source"), "nvml");
  EXPECT_THAT(node.attributes(event.entity), HasSubstr("gpu.index=1"));
  EXPECT_LE(event.time, node.clock.now());
}

TEST(NvmlEvents, RepeatedXidsAreAllTold) {
  FakeNode node(R"(
gpus: [{model: h100}]
faults: [{fault: xid, at: 2s, for: 10s, gpu: 0, xid: 13, every: 3s}])");
  ASSERT_TRUE(node.collect());
  node.run(15);
  collect_until_event(node, 4);
  EXPECT_THAT(node.events("gpu.xid.raw"), SizeIs(4));
}

TEST(NvmlEvents, TheXidOfAGpuThatIsLostAtThatMomentIsNotLost) {
  FakeNode node(R"(
gpus: [{model: h100, count: 2}]
faults: [{fault: xid, at: 3s, gpu: 1, xid: 79}, {fault: lost, at: 3s, gpu: 1}])");
  ASSERT_TRUE(node.collect());
  node.run(3);
  collect_until_event(node, 1);
  EXPECT_EQ(node.events("gpu.xid.raw")[0].attribute("gpu.xid.code"), "79");
  EXPECT_THAT(node.events("gpu.lost"), SizeIs(1));
}

TEST(NvmlEvents, ADriverWithoutEventsIsNoHindrance) {
  FakeNode node("gpus: [{model: h100, unsupported: [nvmlDeviceGetSupportedEventTypes]}]");
  ASSERT_TRUE(node.collect());
  node.run(2);
  EXPECT_EQ(node.calls("nvmlEventSetWait_v2"), 0U);
  EXPECT_TRUE(node.has(Metric::gpu_power_limit));
}

}  // namespace
}  // namespace warpsight::nvml
