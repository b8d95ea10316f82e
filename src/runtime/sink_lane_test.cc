#include "runtime/sink_lane.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "platform/test_dir.h"
#include "runtime/log.h"
#include "runtime/self_report.h"
#include "runtime/spool_options.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr Duration kPatience = 10s;

// Stands still until told to move, and may be told from another thread.
class TestClock final : public Clock {
 public:
  Time now() const override { return Time{Duration{ns_.load()}}; }
  SteadyTime steady() const override { return SteadyTime{Duration{ns_.load()}}; }
  void advance(Duration by) { ns_ += by.count(); }

 private:
  std::atomic<int64_t> ns_{Duration(1'700'000'000s).count()};
};

// The far end: answers as told, and remembers what it took.
class Peer {
 public:
  using Answer = std::function<Delivery(const std::string&)>;

  void answer(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  void answer(Delivery delivery) {
    answer([delivery](const std::string&) { return delivery; });
  }
  // Requests wait from now on until release() or an interruption.
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }

  Delivery request(const std::string& bytes) {
    std::unique_lock lock(mutex_);
    ++requests_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_ || (interrupted_ && heeds_interruption); });
    if (held_) return {.outcome = Delivery::Outcome::retry, .reason = "interrupted"};
    Delivery delivery = answer_(bytes);
    if (delivery.outcome == Delivery::Outcome::accepted) taken_.push_back(bytes);
    changed_.notify_all();
    return delivery;
  }

  bool wait_for_requests(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return requests_ >= count; });
  }
  bool wait_for_taken(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return taken_.size() >= count; });
  }
  std::vector<std::string> taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  size_t requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  std::atomic<bool> heeds_interruption = true;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Answer answer_ = [](const std::string&) { return Delivery::accepted(); };
  bool held_ = false;
  bool interrupted_ = false;
  size_t requests_ = 0;
  std::vector<std::string> taken_;
};

class PeerSink final : public Sink {
 public:
  PeerSink(Peer& peer, int& encoded) : peer_(peer), encoded_(encoded) {}

  void encode(const Snapshot& /*snapshot*/, Outbox& out) override {
    Message& message = out.add();
    message.points = 10;
    message.bytes = std::to_string(encoded_++);
  }
  Delivery deliver(const Message& message) override { return peer_.request(message.bytes); }
  void interrupt() override { peer_.interrupt(); }
  std::string peer() const override { return "the peer"; }

 private:
  Peer& peer_;
  int& encoded_;
};

Delivery failure(std::string words = "connection refused") {
  return {.outcome = Delivery::Outcome::retry, .reason = "connect", .words = std::move(words)};
}

class SinkLaneTest : public testing::Test {
 protected:
  SinkLaneTest() {
    settings.name = "otlp";
    settings.spool.directory = dir.path() + "/spool";
    settings.spool.sync = SyncPolicy::never;
    settings.retry_first = 1s;
    settings.retry_longest = 1min;
    settings.stop_grace = 50ms;
  }
  ~SinkLaneTest() override {
    peer.release();
    lane.reset();
  }

  void start() {
    lane = std::make_unique<SinkLane>(settings, std::make_unique<PeerSink>(peer, encoded), registry,
                                      clock);
    lane->start();
  }
  void stop() {
    lane->request_stop();
    ASSERT_TRUE(lane->stopped_within(kPatience));
    lane.reset();
  }

  void publish() {
    clock.advance(1ms);
    registry.publish(clock.now(), {});
    registry.read([&](const Snapshot& snapshot) { lane->accept(snapshot); });
  }
  // Waits for the spool to hold so many messages of ten points.
  bool wait_for_waiting(uint64_t messages) {
    return eventually([&] { return lane->status().spool.points == 10 * messages; });
  }
  bool wait_for_state(SinkState state) {
    return eventually([&] { return lane->status().state == state; });
  }
  template <typename Fn>
  static bool eventually(Fn&& holds) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
  // Moves time on and makes the lane look at it; the snapshot that does so goes out as well.
  void pass(Duration time) {
    clock.advance(time);
    publish();
  }

  std::vector<std::string> events() {
    registry.publish(clock.now(), {});
    std::vector<std::string> names;
    for (const Event& event : registry.recent_events()) names.push_back(event.name);
    return names;
  }

  TestDir dir;
  TestClock clock;
  EntityTable entities;
  Registry registry{entities};
  Peer peer;
  int encoded = 0;
  SinkLaneSettings settings;
  LogCapture log;
  std::unique_ptr<SinkLane> lane;
};

TEST_F(SinkLaneTest, LiveMessagesTouchNoDisk) {
  start();
  for (size_t i = 1; i <= 5; ++i) {
    publish();
    ASSERT_TRUE(peer.wait_for_taken(i));
    ASSERT_TRUE(eventually([&] { return lane->status().sent == 10 * i; }));
  }
  EXPECT_THAT(peer.taken(), ElementsAre("0", "1", "2", "3", "4"));
  const SinkLaneStatus status = lane->status();
  EXPECT_EQ(status.sent, 50U);
  EXPECT_EQ(status.state, SinkState::ok);
  EXPECT_EQ(status.peer, "the peer");
  EXPECT_EQ(status.dropped.total(), 0U);
  EXPECT_TRUE(status.spool.empty);
  for (const auto& file : fs::directory_iterator(settings.spool.directory)) {
    EXPECT_NE(file.path().extension(), ".segment");
  }
}

TEST_F(SinkLaneTest, FromTheFirstFailureAllIsSpooledAndLaterSentInOrder) {
  peer.answer(failure());
  start();
  for (uint64_t i = 1; i <= 5; ++i) {
    publish();
    ASSERT_TRUE(wait_for_waiting(i));
  }
  EXPECT_EQ(lane->status().state, SinkState::failing);
  EXPECT_EQ(lane->status().last_error, "connection refused");
  EXPECT_EQ(lane->status().failures.at("connect"), peer.requests());
  peer.answer(Delivery::accepted());
  pass(2min);
  ASSERT_TRUE(peer.wait_for_taken(6));
  EXPECT_THAT(peer.taken(), ElementsAre("0", "1", "2", "3", "4", "5"));
  ASSERT_TRUE(wait_for_waiting(0));
  EXPECT_EQ(lane->status().state, SinkState::ok);
  EXPECT_EQ(lane->status().dropped.total(), 0U);
  EXPECT_THAT(events(), ElementsAre("sink.failing", "sink.recovered"));
  EXPECT_TRUE(log.contains("points were waiting"));
}

TEST_F(SinkLaneTest, AMessageThatFailsAfterYoungerOnesWereSpooledGoesFirst) {
  peer.hold();
  peer.answer(failure());
  start();
  publish();
  ASSERT_TRUE(peer.wait_for_requests(1));
  publish();
  publish();
  ASSERT_TRUE(wait_for_waiting(2));
  peer.release();
  ASSERT_TRUE(wait_for_waiting(3));
  peer.answer(Delivery::accepted());
  pass(2min);
  ASSERT_TRUE(peer.wait_for_taken(4));
  EXPECT_THAT(peer.taken(), ElementsAre("0", "1", "2", "3"));
}

TEST_F(SinkLaneTest, ASlowPeerDelaysNobody) {
  peer.hold();
  start();
  for (uint64_t i = 0; i < 50; ++i) {
    publish();
    ASSERT_TRUE(i == 0 ? peer.wait_for_requests(1) : wait_for_waiting(i));
  }
  EXPECT_EQ(peer.requests(), 1U);
  EXPECT_EQ(lane->status().dropped.total(), 0U);
  peer.release();
  ASSERT_TRUE(peer.wait_for_taken(50));
  EXPECT_EQ(peer.taken().back(), "49");
}

TEST_F(SinkLaneTest, WhatAnEarlierRunLeftGoesBeforeLiveData) {
  peer.answer(failure());
  start();
  for (uint64_t i = 1; i <= 3; ++i) {
    publish();
    ASSERT_TRUE(wait_for_waiting(i));
  }
  stop();
  peer.answer(Delivery::accepted());
  start();
  publish();
  ASSERT_TRUE(peer.wait_for_taken(4));
  EXPECT_THAT(peer.taken(), ElementsAre("0", "1", "2", "3"));
}

TEST_F(SinkLaneTest, StoppingPutsTheInterruptedMessageOnDisk) {
  peer.hold();
  start();
  publish();
  ASSERT_TRUE(peer.wait_for_requests(1));
  publish();
  stop();
  EXPECT_THAT(events(), Not(Contains("sink.failing")));
  peer.release();
  start();
  ASSERT_TRUE(peer.wait_for_taken(2));
  EXPECT_THAT(peer.taken(), ElementsAre("0", "1"));
}

TEST_F(SinkLaneTest, StoppingSavesTheMessageOfARequestThatHeedsNothing) {
  peer.heeds_interruption = false;
  peer.hold();
  start();
  publish();
  ASSERT_TRUE(peer.wait_for_requests(1));
  lane->request_stop();
  EXPECT_FALSE(lane->stopped_within(200ms));
  EXPECT_TRUE(wait_for_waiting(1));
}

TEST_F(SinkLaneTest, StoppingAHealthySinkSendsWhatIsQueued) {
  start();
  publish();
  stop();
  EXPECT_THAT(peer.taken(), ElementsAre("0"));
}

TEST_F(SinkLaneTest, WaitsAsLongAsThePeerAsked) {
  Delivery busy = failure("busy");
  busy.retry_after = 10min;
  peer.answer(busy);
  start();
  publish();
  ASSERT_TRUE(wait_for_waiting(1));
  pass(9min);
  ASSERT_TRUE(wait_for_waiting(2));
  EXPECT_EQ(peer.requests(), 1U);
  peer.answer(Delivery::accepted());
  pass(61s);
  EXPECT_TRUE(peer.wait_for_taken(3));
}

TEST(RetryDelayInTheLane, DoublesWithJitterWithinItsBounds) {
  for (uint32_t seed = 1; seed < 50; ++seed) {
    RetryDelay delay(1s, 60s, seed);
    Duration lower = 1s;
    for (int i = 0; i < 40; ++i) {
      const Duration wait = delay.next();
      EXPECT_GE(wait, std::min<Duration>(lower, 30s));
      EXPECT_LE(wait, std::min<Duration>(2 * lower, 60s));
      lower = std::min<Duration>(2 * lower, 60s);
    }
    EXPECT_EQ(delay.next(2min), 2min);
    EXPECT_EQ(delay.next(48h), RetryDelay::kLongestAsked);
    delay.succeeded();
    EXPECT_LE(delay.next(), 2s);
  }
  RetryDelay fixed(10ms, 10ms, 1);
  EXPECT_EQ(fixed.next(), 10ms);
}

TEST_F(SinkLaneTest, WhatIsRefusedIsSetAsideAndTheNextIsSent) {
  peer.answer([](const std::string& bytes) -> Delivery {
    if (bytes == "9") return Delivery::accepted();
    return {.outcome = Delivery::Outcome::refused, .reason = "http_400", .words = "no such tenant"};
  });
  encoded = 7;
  start();
  for (size_t i = 1; i <= 3; ++i) {
    publish();
    ASSERT_TRUE(peer.wait_for_requests(i));
  }
  ASSERT_TRUE(peer.wait_for_taken(1));
  ASSERT_TRUE(eventually([&] { return lane->status().sent == 10; }));
  const SinkLaneStatus status = lane->status();
  EXPECT_EQ(status.dropped[DropReason::refused], 20U);
  EXPECT_EQ(status.failures.at("http_400"), 2U);
  EXPECT_THAT(events(), ElementsAre("sink.refused"));
  const std::string folder = settings.spool.directory + "/refused";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 4);
}

TEST_F(SinkLaneTest, WithoutCredentialsItPausesAndSpools) {
  peer.answer({.outcome = Delivery::Outcome::unauthorized, .reason = "http_401", .words = "who?"});
  start();
  publish();
  ASSERT_TRUE(wait_for_state(SinkState::unauthorized));
  ASSERT_TRUE(wait_for_waiting(1));
  pass(59s);
  ASSERT_TRUE(wait_for_waiting(2));
  EXPECT_EQ(peer.requests(), 1U);
  pass(2s);
  ASSERT_TRUE(wait_for_waiting(3));
  ASSERT_TRUE(eventually([&] { return lane->status().failures.at("http_401") == 2; }));
  peer.answer(Delivery::accepted());
  pass(2min);
  ASSERT_TRUE(peer.wait_for_taken(4));
  ASSERT_TRUE(wait_for_state(SinkState::ok));
  EXPECT_THAT(events(), ElementsAre("sink.unauthorized", "sink.recovered"));
}

TEST_F(SinkLaneTest, PointsThePeerTookOutAreCountedAndExplained) {
  peer.answer({.outcome = Delivery::Outcome::accepted,
               .rejected = 2,
               .too_old = 3,
               .reason = "partial",
               .words = "bad label"});
  start();
  publish();
  ASSERT_TRUE(eventually([&] { return lane->status().sent == 5; }));
  EXPECT_EQ(lane->status().dropped[DropReason::rejected], 2U);
  EXPECT_EQ(lane->status().dropped[DropReason::too_old], 3U);
  EXPECT_TRUE(eventually([&] { return log.contains("bad label"); }));
}

TEST_F(SinkLaneTest, AnUnspooledSinkLosesWhatFailsAndCountsIt) {
  settings.spool.directory.clear();
  peer.answer(failure());
  start();
  publish();
  ASSERT_TRUE(eventually([&] { return lane->status().dropped[DropReason::undelivered] == 10; }));
  EXPECT_FALSE(lane->status().spooled);
  peer.answer(Delivery::accepted());
  publish();
  ASSERT_TRUE(peer.wait_for_taken(1));
  EXPECT_THAT(peer.taken(), ElementsAre("1"));
  stop();
}

TEST_F(SinkLaneTest, AnUnspooledSinkThatIsStuckDropsWhatItsQueueCannotHold) {
  settings.spool.directory.clear();
  peer.hold();
  start();
  const uint16_t source = registry.add_source("host");
  Batch batch;
  batch.begin(clock.now(), 1h);
  batch.add(Metric::warpsight_series, entities.intern(EntityKind::facet, kNoEntity, {{"a", "b"}}),
            1);
  registry.apply(source, batch, clock.now());
  publish();
  ASSERT_TRUE(peer.wait_for_requests(1));
  for (size_t i = 0; i < SinkLane::kQueue + 3; ++i) publish();
  EXPECT_EQ(lane->status().dropped[DropReason::queue_full], 3U);
}

TEST_F(SinkLaneTest, SaysWhatItDidInTheSelfReport) {
  peer.answer(failure());
  start();
  publish();
  ASSERT_TRUE(wait_for_waiting(1));
  std::vector<std::unique_ptr<SinkLane>> sinks;
  sinks.push_back(std::move(lane));
  SelfReport report(entities, "1", false);
  report.watch({}, sinks);
  Analysis* const analyses[] = {&report};
  clock.advance(30s);
  registry.publish(clock.now(), analyses);
  std::vector<std::pair<Metric, double>> said;
  uint64_t requests = 0;
  registry.read([&](const Snapshot& snapshot) {
    for (const Sample& sample : snapshot.samples) {
      const Series* series = snapshot.series_of(sample);
      said.emplace_back(series->metric, sample.value);
      if (series->metric != Metric::warpsight_sink_duration) continue;
      for (const uint64_t count : snapshot.histogram_of(*series)->counts) requests += count;
    }
  });
  report.watch({}, {});
  lane = std::move(sinks.front());
  EXPECT_THAT(said, Contains(std::pair(Metric::warpsight_sink_sent, 0.0)));
  EXPECT_THAT(said, Contains(std::pair(Metric::warpsight_sink_failures, 1.0)));
  EXPECT_THAT(said, Contains(std::pair(Metric::warpsight_spool_points, 10.0)));
  EXPECT_THAT(said, Contains(std::pair(Metric::warpsight_spool_size, 41.0)));
  EXPECT_THAT(said, Contains(std::pair(Metric::warpsight_spool_age, 30.0)));
  EXPECT_EQ(requests, 1U);
}

TEST(SinkLaneSettingsTest, EachSinkHasAFolderOfItsOwn) {
  const SinkDef spooled{"otlp", "", kSpoolOptions, nullptr, true};
  const SinkLaneSettings settings = sink_lane_settings(
      spooled, "otlp/backup", Options::defaults(kSpoolOptions), "/var/lib/warpsight");
  EXPECT_EQ(settings.spool.directory, "/var/lib/warpsight/spool/otlp~backup");
  EXPECT_EQ(settings.spool.size, uint64_t{256} << 20);
  EXPECT_EQ(settings.spool.sync, SyncPolicy::interval);
  EXPECT_EQ(settings.retry_longest, Duration(1min));
  const SinkDef plain{"file", "", {}, nullptr, false};
  EXPECT_EQ(sink_lane_settings(plain, "file", Options{}, "/x").spool.directory, "");
}

}  // namespace
}  // namespace warpsight
