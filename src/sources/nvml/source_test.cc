#include "sources/nvml/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "platform/file.h"
#include "simulate/scenario.h"
#include "sources/nvml/fake_node.h"
#include "sources/nvml/record.h"
#include "sources/sysfs/fake_root.h"
#include "tests/places.h"

namespace warpsight::test {

uint64_t allocations();  // tests/unit/allocation_counter.h

}  // namespace warpsight::test

namespace warpsight::nvml {
namespace {

using ::testing::Contains;
using testing::FakeNode;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using warpsight::testing::FakeRoot;

constexpr std::string_view kEight = R"(
gpus: [{model: h100, count: 8, load: {wave: {min: 0.1, max: 0.9, period: 30s}}}]
processes: [{gpu: all, pid: 4000, name: python3, memory: 10GiB, sm: 1}]
)";

TEST(NvmlSource, EveryPointIsOfALiveEntityAndNamesItsPeriod) {
  FakeNode node(kEight);
  ASSERT_TRUE(node.collect());
  node.run(20);
  EXPECT_FALSE(node.batch.points.empty());
  for (const Point& point : node.batch.points) {
    EXPECT_TRUE(node.entities.alive(point.entity)) << row(point.metric).name;
    EXPECT_GE(point.period_ds, 10);
    EXPECT_LE(point.period_ds, 600);
  }
}

TEST(NvmlSource, ASteadyTickTakesNothingFromTheHeap) {
  FakeNode node(kEight);
  ASSERT_TRUE(node.collect());
  for (int tick = 0; tick < 130; ++tick) {
    node.advance(1);
    ASSERT_TRUE(node.quiet_collect());
  }
  uint64_t taken = 0;
  for (int tick = 0; tick < 130; ++tick) {
    node.advance(1);
    const uint64_t before = test::allocations();
    const bool good = node.quiet_collect();
    taken += test::allocations() - before;
    ASSERT_TRUE(good);
  }
  EXPECT_EQ(taken, 0U);
}

TEST(NvmlSource, TheBlockingCallIsNotEvenBound) {
  // Its name must not appear in the list of functions.
  const std::string functions = WARPSIGHT_SOURCE_DIR "/src/sources/nvml/functions.def";
  const auto text = read_file(functions);
  ASSERT_TRUE(text) << describe(text.error());
  EXPECT_THAT(text.value(), Not(HasSubstr("nvmlDeviceGetPcieThroughput")));
}

TEST(NvmlSource, ALibraryThatIsNotThereIsAnErrorWithAHint) {
  FakeNode node("gpus: [{model: h100}]");
  node.set("library", "/nonexistent/libnvidia-ml.so.1");
  const auto result = node.collect();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("libnvidia-ml.so.1"));
}

TEST(NvmlSource, ADriverThatIsDownAtFirstIsTriedAgain) {
  FakeNode node("gpus: [{model: h100}]\nfaults: [{fault: reload, at: 0s, for: 8s}]");
  const auto first = node.collect();
  ASSERT_FALSE(first);
  EXPECT_THAT(first.error().hint, HasSubstr("modprobe nvidia"));
  bool up = false;
  for (int tick = 0; tick < 30 && !up; ++tick) up = static_cast<bool>(node.tick());
  EXPECT_TRUE(up);
  EXPECT_TRUE(node.has(Metric::gpu_power_limit));
}

TEST(NvmlSource, DiagnosisSaysWhatIsMissingAndWhatToDo) {
  const FakeRoot root;
  const ManualClock clock;
  EntityTable entities;
  CallTrace trace;
  const Options options = Options::defaults(kDefinition.options);
  const SourceContext context{clock, entities, options, trace, root.path(), {}, {}, {}, {}};
  EXPECT_FALSE(present(context));
  const auto missing = diagnose(context);
  EXPECT_THAT(missing, Not(Contains(Field(&Finding::state, Finding::State::ok))));
  for (const Finding& finding : missing) EXPECT_FALSE(finding.hint.empty()) << finding.what;

  root.write("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX 580.159.04\nGCC\n");
  root.write("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "");
  root.write("/dev/nvidiactl", "");
  root.write("/dev/nvidia0", "");
  root.write("/sys/bus/pci/devices/0000:06:00.0/vendor", "0x10de\n");
  root.write("/sys/bus/pci/devices/0000:06:00.0/class", "0x030200\n");
  root.link("/sys/bus/pci/devices/0000:06:00.0/driver", "/drivers/nvidia");
  EXPECT_TRUE(present(context));
  for (const Finding& finding : diagnose(context)) {
    EXPECT_EQ(finding.state, Finding::State::ok) << finding.what;
  }
}

TEST(NvmlRecord, ARecordingPlaysAsItWasAndNamesNobody) {
  FakeNode node(R"(
driver: {version: 580.159.04, cuda: 13.0}
gpus: [{model: h200, uuid: GPU-secret, serial: "999", load: 0.5, nvlink: {links: 0},
        fabric: false, readings: {power: 412, temperature: 61}, unsupported: [field:271]}]
processes: [{gpu: 0, pid: 31337, name: secret-model, memory: 2GiB, sm: 1}])");
  Options options = Options::defaults(kDefinition.options);
  ASSERT_TRUE(options.set("library", WARPSIGHT_FAKE_NVML));
  const SourceContext context{node.clock, node.entities, options, node.trace, "/", {}, {}, {}, {}};
  const auto text = record(context, std::chrono::milliseconds{300}, std::chrono::milliseconds{100});
  ASSERT_TRUE(text) << describe(text.error());
  EXPECT_THAT(*text, Not(HasSubstr("secret")));
  EXPECT_THAT(*text, Not(HasSubstr("999")));
  EXPECT_THAT(*text, Not(HasSubstr("31337")));
  EXPECT_THAT(*text, HasSubstr("field:271"));
  const auto scenario = simulate::parse_scenario(*text, "recording");
  ASSERT_TRUE(scenario) << describe(scenario.error()) << "\n" << *text;
  ASSERT_THAT(scenario->gpus, SizeIs(1));

  FakeNode played(*text);
  ASSERT_TRUE(played.collect());
  ASSERT_TRUE(played.tick());
  EXPECT_TRUE(played.has(Metric::gpu_power_limit, "gpu.index=0 gpu.vendor=nvidia"));
  EXPECT_EQ(played.value(Metric::gpu_temperature, "gpu.temperature.sensor=edge"), 61);
  EXPECT_FALSE(played.has(Metric::gpu_interconnect_io));
}

}  // namespace
}  // namespace warpsight::nvml
