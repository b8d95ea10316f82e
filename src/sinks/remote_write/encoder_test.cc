#include "sinks/remote_write/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "../tests/unit/allocation_counter.h"
#include "remote_write_v2.pb.h"
#include "sinks/remote_write/remote_write_sink.h"

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kStale = 0x7ff0000000000002;

struct Read {
  double value;
  int64_t time;
  int64_t start;
  int type;
  std::string help;
  std::string unit;

  bool stale() const { return std::bit_cast<uint64_t>(value) == kStale; }
};

// "name{a="1",b="2"}" to what was sent of it; checks what holds for every request.
class Requests {
 public:
  explicit Requests(std::span<const Message> messages) {
    for (const Message& message : messages) add(message);
  }
  std::map<std::string, std::vector<Read>> series;
  size_t symbols = 0;

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, reads] : series) {
      if (!name.starts_with("target_info")) all.push_back(name);
    }
    return all;
  }
  const Read& only(const std::string& name) const {
    static const Read kNone{};
    const auto found = series.find(name);
    EXPECT_NE(found, series.end()) << name;
    if (found == series.end()) return kNone;
    EXPECT_EQ(found->second.size(), 1U) << name;
    return found->second[0];
  }

 private:
  void add(const Message& message) {
    oracle::rw2::Request request;
    ASSERT_TRUE(request.ParseFromString(message.bytes));
    ASSERT_GT(request.symbols_size(), 0);
    EXPECT_EQ(request.symbols(0), "");
    symbols = static_cast<size_t>(request.symbols_size());
    uint32_t points = 0;
    for (const auto& one : request.timeseries()) {
      const std::string name = text_of(request, one);
      EXPECT_FALSE(series.contains(name)) << name << " is told twice";
      for (const auto& sample : one.samples()) {
        ++points;
        series[name].push_back({sample.value(), sample.timestamp(), sample.start_timestamp(),
                                one.metadata().type(),
                                request.symbols(static_cast<int>(one.metadata().help_ref())),
                                request.symbols(static_cast<int>(one.metadata().unit_ref()))});
      }
    }
    EXPECT_EQ(points, message.points);
  }

  static std::string text_of(const oracle::rw2::Request& request,
                             const oracle::rw2::TimeSeries& one) {
    std::string name;
    std::string labels;
    std::string before;
    for (int i = 0; i + 1 < one.labels_refs_size(); i += 2) {
      const std::string& key = request.symbols(static_cast<int>(one.labels_refs(i)));
      const std::string& value = request.symbols(static_cast<int>(one.labels_refs(i + 1)));
      EXPECT_LT(before, key) << "sorted, each once";
      EXPECT_NE(value, "");
      before = key;
      if (key == "__name__") {
        name = value;
      } else {
        labels += (labels.empty() ? "" : ",") + key + "=\"" + value + "\"";
      }
    }
    EXPECT_EQ(one.labels_refs_size() % 2, 0);
    return name + "{" + labels + "}";
  }
};

class RemoteWriteEncoderTest : public ::testing::Test {
 protected:
  RemoteWriteEncoderTest() { begin(); }

  void begin() { batch_.begin(clock_.now(), std::chrono::seconds{1}); }

  void make_encoder(bool aliases = false) {
    auto target = make_remote_target(options_, resource_);
    ASSERT_TRUE(target);
    encoder_ = std::make_unique<RemoteWriteEncoder>(entities_, std::move(*target), aliases);
  }

  // What the points that are in the batch become at a publish 500 ms later.
  Requests tick(Duration after = std::chrono::milliseconds{500}) {
    clock_.advance(after);
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    begin();
    return encode();
  }
  Requests encode() {
    if (!encoder_) make_encoder();
    outbox_.clear();
    registry_.read([&](const Snapshot& snapshot) { encoder_->encode(snapshot, outbox_); });
    return Requests(outbox_.messages());
  }
  int64_t now_ms() const {
    return std::chrono::floor<std::chrono::milliseconds>(clock_.now().time_since_epoch()).count();
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  EntityId gpu_ = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}, {".pci", "x"}});
  Batch batch_;
  Options options_ = Options::defaults(remote_write_sink_options());
  std::vector<Attribute> resource_ = {{"host.name", "node1"}, {"cluster", "c"}};
  std::unique_ptr<RemoteWriteEncoder> encoder_;
  Outbox outbox_;
};

constexpr auto kTarget = R"(host_name="node1",instance="node1",job="warpsight")";
std::string with_target(std::string_view name, std::string_view labels_before) {
  return std::string(name) + "{" + std::string(labels_before) + "," + kTarget + "}";
}

TEST_F(RemoteWriteEncoderTest, SaysNothingBeforeTheFirstPublish) {
  EXPECT_THAT(encode().series, IsEmpty());
}

TEST_F(RemoteWriteEncoderTest, NamesUnitsAndTimesAreThoseOfThePage) {
  const int64_t read_at = now_ms();
  batch_.add(Metric::gpu_utilization, gpu_, 0.25);
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  const Requests sent = tick();
  const Read& utilization =
      sent.only(with_target("gpu_utilization_ratio", R"(gpu_index="0",gpu_task_type="compute")"));
  EXPECT_EQ(utilization.value, 0.25);
  EXPECT_EQ(utilization.time, read_at);
  EXPECT_EQ(utilization.start, 0);
  EXPECT_EQ(utilization.type, 2);
  EXPECT_EQ(utilization.unit, "ratio");
  EXPECT_THAT(utilization.help, HasSubstr("share of the publish interval"));
  EXPECT_EQ(sent.only(with_target("gpu_power_draw_watts", R"(gpu_index="0")")).value, 70);
}

TEST_F(RemoteWriteEncoderTest, TheTargetIsToldWhole) {
  const Requests sent = tick();
  const Read& info =
      sent.only(R"(target_info{cluster="c",host_name="node1",instance="node1",job="warpsight"})");
  EXPECT_EQ(info.value, 1);
  EXPECT_EQ(info.time, now_ms());
  EXPECT_EQ(info.type, 6);
}

TEST_F(RemoteWriteEncoderTest, LabelsOfTheTargetAreChosen) {
  ASSERT_TRUE(options_.set("job", "gpu"));
  ASSERT_TRUE(options_.set("instance", "here:1"));
  ASSERT_TRUE(options_.set("resource_labels", "cluster"));
  ASSERT_TRUE(options_.set("external_labels", "gpu_index=never,Zone=z"));
  resource_.push_back({"simulated", "true"});
  batch_.add(Metric::gpu_power_draw, gpu_, 1);
  EXPECT_THAT(
      tick().names(),
      ElementsAre(R"(gpu_power_draw_watts{Zone="z",cluster="c",gpu_index="0",instance="here:1",)"
                  R"(job="gpu",simulated="true"})"));
}

TEST_F(RemoteWriteEncoderTest, AnExternalLabelNeedsAName) {
  ASSERT_TRUE(options_.set("external_labels", "a-b=c"));
  EXPECT_FALSE(make_remote_target(options_, resource_));
  ASSERT_TRUE(options_.set("external_labels", "__name__=c"));
  EXPECT_FALSE(make_remote_target(options_, resource_));
}

TEST_F(RemoteWriteEncoderTest, ForeignBytesBecomeText) {
  const EntityId odd = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.model", "a\xff\"\n"}});
  batch_.add(Metric::gpu_power_draw, odd, 1);
  EXPECT_THAT(tick().names(),
              ElementsAre(with_target("gpu_power_draw_watts", "gpu_model=\"a\xef\xbf\xbd\"\n\"")));
}

TEST_F(RemoteWriteEncoderTest, CountersSayWhenTheyStarted) {
  const int64_t start = now_ms();
  const std::string name = with_target("gpu_busy_time_seconds_total", R"(gpu_index="0")");
  batch_.add(Metric::gpu_busy_time, gpu_, 10);
  EXPECT_EQ(tick().only(name).start, 0) << "nobody knows yet";
  batch_.add(Metric::gpu_busy_time, gpu_, 11);
  const Requests sent = tick();
  EXPECT_EQ(sent.only(name).start, start);
  EXPECT_EQ(sent.only(name).type, 1);
}

TEST_F(RemoteWriteEncoderTest, APointIsToldOnce) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  EXPECT_THAT(tick().names(), SizeIs(1));
  EXPECT_THAT(tick().names(), IsEmpty()) << "nothing new was read";
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  EXPECT_THAT(tick().names(), SizeIs(1)) << "the same value at another time is another point";
}

TEST_F(RemoteWriteEncoderTest, ASeriesThatEndsIsMarkedOnce) {
  const std::string name = with_target("gpu_power_draw_watts", R"(gpu_index="0")");
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  tick();
  const Requests ended = tick(std::chrono::seconds{60});
  EXPECT_TRUE(ended.only(name).stale());
  EXPECT_EQ(ended.only(name).time, now_ms());
  EXPECT_THAT(tick().names(), IsEmpty());

  batch_.add(Metric::gpu_power_draw, gpu_, 71);
  EXPECT_EQ(tick().only(name).value, 71) << "it may come back";
  EXPECT_TRUE(tick(std::chrono::seconds{60}).only(name).stale());
}

TEST_F(RemoteWriteEncoderTest, WhatIsGoneIsMarkedAlthoughItsSlotHasANewTenant) {
  const std::string old_name = with_target("gpu_power_draw_watts", R"(gpu_index="0")");
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  tick();
  batch_.gone.push_back(gpu_);
  registry_.apply(source_, batch_, clock_.now());
  begin();
  const EntityId other = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "1"}});
  batch_.add(Metric::gpu_power_draw, other, 80);
  const Requests sent = tick();
  EXPECT_TRUE(sent.only(old_name).stale());
  EXPECT_EQ(sent.only(with_target("gpu_power_draw_watts", R"(gpu_index="1")")).value, 80);
}

TEST_F(RemoteWriteEncoderTest, WhatIsBornAgainBetweenTwoPublishesGoesOn) {
  const std::string name = with_target("gpu_power_draw_watts", R"(gpu_index="0")");
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  tick();
  batch_.gone.push_back(gpu_);
  registry_.apply(source_, batch_, clock_.now());
  begin();
  gpu_ = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}, {".pci", "x"}});
  batch_.add(Metric::gpu_power_draw, gpu_, 75);
  EXPECT_EQ(tick().only(name).value, 75);
}

TEST_F(RemoteWriteEncoderTest, TwoThingsThatLookTheSameAreToldOnce) {
  const EntityId twin =
      entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}, {".pci", "y"}});
  batch_.add(Metric::gpu_power_draw, gpu_, 1);
  batch_.add(Metric::gpu_power_draw, twin, 2);
  EXPECT_EQ(tick().only(with_target("gpu_power_draw_watts", R"(gpu_index="0")")).value, 1);
}

TEST_F(RemoteWriteEncoderTest, AHistogramIsItsBucketsSumAndCount) {
  const auto name = [](std::string_view ending, std::string_view bound = {}) {
    const std::string le = bound.empty() ? "" : ",le=\"" + std::string(bound) + "\"";
    return "warpsight_sink_duration_seconds" + std::string(ending) + R"({gpu_index="0",)" +
           kTarget + le + "}";
  };
  const Time start = clock_.now() - std::chrono::hours{1};
  batch_.add_histogram(Metric::warpsight_sink_duration, gpu_, std::vector{0.5, 1.0},
                       std::vector<uint64_t>{3, 2, 1}, 4.5, start);
  const Requests sent = tick();
  EXPECT_THAT(sent.names(), ElementsAre(name("_bucket", "+Inf"), name("_bucket", "0.5"),
                                        name("_bucket", "1.0"), name("_count"), name("_sum")));
  EXPECT_EQ(sent.only(name("_bucket", "0.5")).value, 3);
  EXPECT_EQ(sent.only(name("_bucket", "1.0")).value, 5);
  EXPECT_EQ(sent.only(name("_bucket", "+Inf")).value, 6);
  EXPECT_EQ(sent.only(name("_count")).value, 6);
  EXPECT_EQ(sent.only(name("_sum")).value, 4.5);
  EXPECT_EQ(sent.only(name("_sum")).type, 3);
  EXPECT_EQ(sent.only(name("_sum")).start, 1'700'000'000'000 - 3'600'000);

  batch_.add_histogram(Metric::warpsight_sink_duration, gpu_, std::vector{0.5},
                       std::vector<uint64_t>{3, 3}, 4.5, start);
  const Requests other = tick();
  EXPECT_TRUE(other.only(name("_bucket", "1.0")).stale()) << "a bucket that is no more";
  EXPECT_EQ(other.only(name("_bucket", "0.5")).value, 3);

  const Requests ended = tick(std::chrono::seconds{60});
  EXPECT_THAT(ended.names(), SizeIs(4));
  for (const std::string& one : ended.names()) EXPECT_TRUE(ended.only(one).stale()) << one;
}

TEST_F(RemoteWriteEncoderTest, AliasesAreSentOnRequest) {
  const EntityId sm = entities_.intern(EntityKind::facet, gpu_, {{"gpu.clock.type", "sm"}});
  make_encoder(true);
  batch_.add(Metric::gpu_clock_frequency, sm, 1e9);
  EXPECT_THAT(tick().names(), ElementsAre(HasSubstr("gpu_clock_frequency_hertz{"),
                                          HasSubstr("gpu_sm_clock_hertz{")));
}

TEST_F(RemoteWriteEncoderTest, LargeSnapshotsAreSeveralMessages) {
  std::vector<EntityId> many;
  for (int i = 0; i < 12'000; ++i) {
    many.push_back(entities_.intern(EntityKind::facet, gpu_, {{"i", std::to_string(i)}}));
    batch_.add(Metric::gpu_power_draw, many.back(), i);
  }
  EXPECT_THAT(tick().names(), SizeIs(12'000));
  ASSERT_THAT(outbox_.messages(), SizeIs(2));
  EXPECT_EQ(outbox_.messages()[0].points, RequestWriter::kMostPoints);
}

TEST_F(RemoteWriteEncoderTest, ChurnLeavesNoSymbolsBehind) {
  size_t largest = 0;
  for (int i = 0; i < 400; ++i) {
    const EntityId process = entities_.intern(
        EntityKind::process, gpu_, {{"process.pid", std::to_string(i)}, {"x", std::to_string(-i)}});
    batch_.add(Metric::gpu_power_draw, process, i);
    batch_.add(Metric::gpu_power_draw, gpu_, i);
    const Requests sent = tick(std::chrono::minutes{1});
    largest = std::max(largest, sent.symbols);
    EXPECT_EQ(sent.only(with_target("gpu_power_draw_watts", R"(gpu_index="0")")).value, i);
    EXPECT_THAT(sent.names(), SizeIs(i == 0 ? 2 : 3)) << "the one before is marked as ended";
    batch_.gone.push_back(process);
  }
  EXPECT_LT(largest, 250U);
}

TEST_F(RemoteWriteEncoderTest, ASteadyTickTakesNoMemory) {
  make_encoder(true);
  const auto ticked = [&] {
    batch_.add(Metric::gpu_busy_time, gpu_, 123456.789);
    batch_.add(Metric::gpu_power_draw, gpu_, 70.5);
    batch_.add_histogram(Metric::warpsight_sink_duration, gpu_, std::vector{0.5},
                         std::vector<uint64_t>{3, 3}, 4.5);
    clock_.advance(std::chrono::seconds{1});
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    begin();
    outbox_.clear();
    const uint64_t before = test::allocations();
    registry_.read([&](const Snapshot& snapshot) { encoder_->encode(snapshot, outbox_); });
    return test::allocations() - before;
  };
  EXPECT_GT(ticked(), 0U);
  EXPECT_EQ(ticked(), 0U);
}

}  // namespace
}  // namespace warpsight
