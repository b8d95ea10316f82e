#include "sinks/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../tests/unit/allocation_counter.h"

namespace warpsight {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class JsonLinesTest : public ::testing::Test {
 protected:
  JsonLinesTest() { begin(); }
  void begin() { batch_.begin(clock_.now(), std::chrono::seconds{1}); }
  void publish() {
    clock_.advance(std::chrono::milliseconds{1500});
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    begin();
  }
  std::string lines(JsonLines& json) {
    std::string out;
    registry_.read([&](const Snapshot& snapshot) { json.append(snapshot, out); });
    return out;
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  EntityId gpu_ = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}, {".pci", "x"}});
  Batch batch_;
};

TEST_F(JsonLinesTest, APointIsOneObjectALine) {
  const std::vector<Attribute> resource = {{"host.name", "node1"}};
  JsonLines json(entities_, resource, false);
  batch_.add(Metric::gpu_utilization, gpu_, 0.25);
  publish();
  EXPECT_EQ(lines(json),
            R"({"time":"2023-11-14T22:13:20.000000000Z","metric":"gpu.utilization","value":0.25,)"
            R"("unit":"1","kind":"gauge",)"
            R"("attributes":{"gpu.index":"0","gpu.task.type":"compute"},)"
            R"("resource":{"host.name":"node1"}})"
            "\n");
}

TEST_F(JsonLinesTest, CountersSayWhenTheyStarted) {
  JsonLines json(entities_, {}, false);
  batch_.add(Metric::gpu_busy_time, gpu_, 10);
  publish();
  batch_.add(Metric::gpu_busy_time, gpu_, 11);
  publish();
  EXPECT_THAT(lines(json),
              HasSubstr(R"({"time":"2023-11-14T22:13:21.500000000Z","metric":"gpu.busy.time",)"
                        R"("value":11,"start":"2023-11-14T22:13:20.000000000Z","unit":"s",)"
                        R"("kind":"counter")"));
}

TEST_F(JsonLinesTest, AHistogramHasItsBucketsInPlaceOfAValue) {
  const EntityId sink = entities_.intern(EntityKind::facet, kNoEntity, {{"sink", "otlp"}});
  JsonLines json(entities_, {}, true);
  batch_.add_histogram(Metric::warpsight_sink_duration, sink, std::vector{0.5, 1.0},
                       std::vector<uint64_t>{2, 0, 1}, 3.25, clock_.now() - std::chrono::hours{1});
  publish();
  EXPECT_EQ(lines(json),
            R"({"time":"2023-11-14T22:13:20.000000000Z","metric":"warpsight.sink.duration",)"
            R"("histogram":{"count":3,"sum":3.25,"bounds":[0.5,1],"counts":[2,0,1]},)"
            R"("start":"2023-11-14T21:13:20.000000000Z","unit":"s","kind":"histogram",)"
            R"("attributes":{"sink":"otlp"}})"
            "\n");
}

TEST_F(JsonLinesTest, EverySimulatedLineSaysSo) {
  const std::vector<Attribute> resource = {{"host.name", "n"}, {"simulated", "true"}};
  JsonLines json(entities_, resource, false);
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  batch_.events.push_back(
      {clock_.now(), "gpu.xid", Severity::error, gpu_, "XID 79", {{"gpu.xid.code", "79"}}});
  publish();
  const std::string text = lines(json);
  EXPECT_THAT(text, HasSubstr(R"("kind":"gauge","attributes":{"gpu.index":"0"},)"
                              R"("resource":{"host.name":"n"},"simulated":true})"
                              "\n"));
  EXPECT_THAT(text, HasSubstr(R"("event":"gpu.xid","severity":"error","message":"XID 79",)"
                              R"("attributes":{"gpu.index":"0","gpu.xid.code":"79"},)"
                              R"("resource":{"host.name":"n"},"simulated":true})"
                              "\n"));
}

TEST_F(JsonLinesTest, AliasesAreWrittenOnRequest) {
  const EntityId sm = entities_.intern(EntityKind::facet, gpu_, {{"gpu.clock.type", "sm"}});
  JsonLines json(entities_, {}, true);
  batch_.add(Metric::gpu_clock_frequency, sm, 1e9);
  publish();
  EXPECT_THAT(lines(json), HasSubstr(R"("metric":"gpu.sm.clock.hertz","value":1000000000)"));
  EXPECT_THAT(lines(json), Not(HasSubstr("gpu.memory.clock.hertz")));
  EXPECT_THAT(lines(json), Not(HasSubstr("DCGM")));
}

TEST_F(JsonLinesTest, ASteadyTickAllocatesNothing) {
  JsonLines json(entities_, {}, true);
  std::string out;
  const auto tick = [&] {
    batch_.add(Metric::gpu_busy_time, gpu_, 123456.789);
    batch_.add(Metric::gpu_power_draw, gpu_, 70.5);
    publish();
    out.clear();
    const uint64_t before = test::allocations();
    registry_.read([&](const Snapshot& snapshot) { json.append(snapshot, out); });
    return test::allocations() - before;
  };
  EXPECT_GT(tick(), 0U);
  EXPECT_EQ(tick(), 0U);
}

TEST(TimeText, HandlesAnyDay) {
  TimeText text;
  std::string out;
  text.append(out, Time{});
  EXPECT_EQ(out, "1970-01-01T00:00:00.000000000Z");
  out.clear();
  text.append(out, Time{std::chrono::seconds{951827696} + std::chrono::nanoseconds{5}});
  EXPECT_EQ(out, "2000-02-29T12:34:56.000000005Z");
  out.clear();
  text.append(out, Time{std::chrono::nanoseconds{-1}});
  EXPECT_EQ(out, "1969-12-31T23:59:59.999999999Z");
}

}  // namespace
}  // namespace warpsight
