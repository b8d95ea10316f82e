#include "core/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace warpsight {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class RegistryTest : public testing::Test {
 protected:
  void add(Metric metric, double value, Duration period = seconds{1}) {
    batch.begin(clock.now(), period);
    batch.add(metric, gpu, value);
  }
  void apply(uint16_t source) { registry.apply(source, batch, clock.now()); }
  void say(Metric metric, double value, Duration period = seconds{1}) {
    add(metric, value, period);
    apply(nvml);
  }
  std::map<std::string, double> publish(std::span<Analysis* const> analyses = {}) {
    registry.publish(clock.now(), analyses);
    return registry.read([](const Snapshot& snapshot) {
      std::map<std::string, double> values;
      for (const Sample& sample : snapshot.samples) {
        const Series* series = snapshot.series_of(sample);
        if (series != nullptr) values[std::string(row(series->metric).name)] = sample.value;
      }
      return values;
    });
  }
  // In buckets up to 1, up to 2, and above.
  void say_histogram(std::initializer_list<uint64_t> counts, Time start = {},
                     std::initializer_list<double> bounds = {1, 2}, double sum = 5) {
    batch.begin(clock.now(), seconds{1});
    batch.add_histogram(Metric::warpsight_sink_duration, gpu, bounds, counts, sum, start);
    apply(nvml);
  }
  // The one published; empty when there is none.
  Histogram published_histogram() {
    return registry.read([](const Snapshot& snapshot) {
      for (const Sample& sample : snapshot.samples) {
        const Series* found = snapshot.series_of(sample);
        if (found != nullptr && snapshot.histogram_of(*found) != nullptr) {
          return *snapshot.histogram_of(*found);
        }
      }
      return Histogram{};
    });
  }
  const Series* series(Metric metric) {
    return registry.read([&](const Snapshot& snapshot) -> const Series* {
      for (const Series& s : snapshot.series) {
        if (s.live && s.metric == metric) return &s;
      }
      return nullptr;
    });
  }

  ManualClock clock;
  EntityTable entities;
  Registry registry{entities, {.series_per_source = 3, .events = 2}};
  uint16_t nvml = registry.add_source("nvml");
  uint16_t dcgm = registry.add_source("dcgm");
  EntityId gpu = entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  Batch batch;
};

TEST_F(RegistryTest, MeanIsWeightedByTheTimeEachSampleCovers) {
  const Time t = clock.now();
  batch.begin(t, seconds{5});
  batch.add(Metric::gpu_utilization, gpu, 0.5, t);
  apply(nvml);
  publish();
  batch.add(Metric::gpu_utilization, gpu, 1.0, t + seconds{3});
  batch.add(Metric::gpu_utilization, gpu, 0.0, t + seconds{4});
  clock.advance(seconds{4});
  apply(nvml);
  EXPECT_DOUBLE_EQ(publish().at("gpu.utilization"), 0.75);
}

TEST_F(RegistryTest, IntegralLeavesGapsOut) {
  const Time t = clock.now();
  batch.begin(t, seconds{1});
  batch.add(Metric::gpu_utilization, gpu, 1.0, t);
  batch.add(Metric::gpu_utilization, gpu, 1.0, t + seconds{1});
  batch.add(Metric::gpu_utilization, gpu, 1.0, t + minutes{1});
  batch.add(Metric::gpu_utilization, gpu, 1.0, t + minutes{1} + seconds{1});
  apply(nvml);
  EXPECT_DOUBLE_EQ(series(Metric::gpu_utilization)->integral, 2.0);
}

TEST_F(RegistryTest, WindowKeepsExtremesOfTheIntervalAlone) {
  struct Look final : Analysis {
    void run(const View& view, Batch&) override {
      view.for_each(Metric::gpu_power_draw, [&](const Series& s) { max = s.window.max; });
    }
    double max = 0;
  } look;
  Analysis* analyses[] = {&look};
  say(Metric::gpu_power_draw, 650);
  clock.advance(seconds{1});
  say(Metric::gpu_power_draw, 100);
  publish(analyses);
  EXPECT_DOUBLE_EQ(look.max, 650);
  clock.advance(seconds{1});
  say(Metric::gpu_power_draw, 120);
  publish(analyses);
  EXPECT_DOUBLE_EQ(look.max, 120);
}

TEST_F(RegistryTest, AValueReadRarelyKeepsItsOwnTime) {
  const Time read = clock.now();
  say(Metric::gpu_temperature, 40, seconds{30});
  clock.advance(seconds{20});
  EXPECT_DOUBLE_EQ(publish().at("gpu.temperature"), 40);
  registry.read([&](const Snapshot& s) { EXPECT_EQ(s.samples[0].time, read); });
}

TEST_F(RegistryTest, AfterTwoMissedPeriodsAValueIsAbsent) {
  say(Metric::gpu_temperature, 40, seconds{1});
  clock.advance(seconds{2});
  EXPECT_TRUE(publish().contains("gpu.temperature"));
  clock.advance(seconds{1});
  EXPECT_FALSE(publish().contains("gpu.temperature"));
  say(Metric::gpu_temperature, 41);
  EXPECT_DOUBLE_EQ(publish().at("gpu.temperature"), 41);
}

TEST_F(RegistryTest, TheBetterSourceWinsAndTheOtherFillsGaps) {
  say(Metric::gpu_temperature, 40);
  clock.advance(milliseconds{100});
  add(Metric::gpu_temperature, 99);
  apply(dcgm);
  EXPECT_DOUBLE_EQ(publish().at("gpu.temperature"), 40);

  clock.advance(seconds{10});
  add(Metric::gpu_temperature, 99);
  apply(dcgm);
  EXPECT_DOUBLE_EQ(publish().at("gpu.temperature"), 99);

  clock.advance(milliseconds{100});
  say(Metric::gpu_temperature, 42);
  EXPECT_DOUBLE_EQ(publish().at("gpu.temperature"), 42);
}

TEST_F(RegistryTest, ACounterThatFallsStartsAnew) {
  const Time first = clock.now();
  say(Metric::gpu_energy_consumption, 100);
  clock.advance(seconds{1});
  say(Metric::gpu_energy_consumption, 150);
  EXPECT_EQ(series(Metric::gpu_energy_consumption)->start, first);
  const Time before_reset = clock.now();
  clock.advance(seconds{1});
  say(Metric::gpu_energy_consumption, 5);
  EXPECT_EQ(series(Metric::gpu_energy_consumption)->start, before_reset);
}

TEST_F(RegistryTest, ACounterThatKnowsItsStartKeepsIt) {
  const Time begun = clock.now() - seconds{30};
  const auto say_since = [&](double value, Time start) {
    batch.begin(clock.now(), seconds{1});
    batch.add(Metric::gpu_power_draw, gpu, 1);
    batch.add_counter(Metric::gpu_energy_consumption, gpu, value, start);
    apply(nvml);
    return series(Metric::gpu_energy_consumption)->start;
  };
  EXPECT_EQ(say_since(100, begun), begun);
  clock.advance(seconds{1});
  EXPECT_EQ(say_since(150, begun), begun);
  clock.advance(seconds{1});
  // It grew, and yet began anew.
  const Time again = clock.now() - milliseconds{500};
  EXPECT_EQ(say_since(200, again), again);
  clock.advance(seconds{1});
  EXPECT_EQ(say_since(201, clock.now() + seconds{9}), clock.now())
      << "nothing begins in the future";
}

TEST_F(RegistryTest, TakesMetricsThatWereAddedAfterItWasMade) {
  const auto added = add_metric({.name = "test.registry.late",
                                 .kind = MetricKind::gauge,
                                 .unit = "1",
                                 .writers = "nvml",
                                 .attributes = {},
                                 .meaning = "m"});
  ASSERT_TRUE(added);
  publish();
  say(*added, 7);
  EXPECT_EQ(publish().at("test.registry.late"), 7);
}

TEST_F(RegistryTest, DropsWhatItMustAndCountsIt) {
  say(Metric::gpu_temperature, std::numeric_limits<double>::quiet_NaN());
  say(Metric::gpu_power_draw, 1);
  say(Metric::gpu_power_draw, 2);  // same time
  say(Metric::gpu_fan_speed, 1);
  say(Metric::gpu_memory_used, 1);
  say(Metric::gpu_memory_free, 1);  // a fourth series
  batch.add(Metric::gpu_power_limit, EntityId{12345}, 1);
  registry.apply(dcgm, batch, clock.now());

  const DropCounts drops = registry.drops();
  EXPECT_EQ(drops.not_finite, 1U);
  EXPECT_EQ(drops.out_of_order, 1U);
  EXPECT_EQ(drops.series_limit, 1U);
  EXPECT_EQ(drops.entity_gone, 1U);
  EXPECT_EQ(registry.series_count("nvml"), 3U);
}

TEST_F(RegistryTest, AnEndedEntityIsAbsentAtOnceAndFreesItsPlace) {
  say(Metric::gpu_power_draw, 1);
  publish();
  batch.gone.push_back(gpu);
  apply(nvml);
  registry.read([](const Snapshot& s) { EXPECT_EQ(s.series_of(s.samples[0]), nullptr); });
  EXPECT_TRUE(publish().empty());
  EXPECT_EQ(registry.series_count("nvml"), 0U);
}

TEST_F(RegistryTest, ARenewedSeriesIsAnotherOne) {
  say(Metric::gpu_energy_consumption, 100);
  const uint32_t before = series(Metric::gpu_energy_consumption)->birth;
  clock.advance(seconds{1});
  batch.renewed.push_back({Metric::gpu_energy_consumption, gpu});
  say(Metric::gpu_energy_consumption, 5);
  EXPECT_NE(series(Metric::gpu_energy_consumption)->birth, before);
  EXPECT_EQ(series(Metric::gpu_energy_consumption)->start, clock.now());
  EXPECT_EQ(publish().at("gpu.energy.consumption"), 5);
}

TEST_F(RegistryTest, WhatIsMissingIsListedUntilItIsRead) {
  const auto missing = [&] {
    std::string text;
    registry.for_each_missing([&](const Missing& m) {
      text +=
          std::string(row(m.metric).name) + " " + std::string(to_string(m.why)) + ": " + m.detail;
    });
    return text;
  };
  say(Metric::gpu_power_draw, 1);
  batch.missing(Metric::gpu_power_draw, gpu, Absence::failed, "Timeout");
  apply(nvml);
  EXPECT_EQ(missing(), "gpu.power.draw failed: Timeout");
  clock.advance(seconds{1});
  say(Metric::gpu_power_draw, 2);
  EXPECT_EQ(missing(), "");
}

TEST_F(RegistryTest, EventsReachTheNextSnapshotOnceAndAreBounded) {
  for (int i = 0; i < 3; ++i) batch.events.push_back({clock.now(), "e", {}, gpu, "m", {}});
  apply(nvml);
  publish();
  registry.read([](const Snapshot& s) { EXPECT_EQ(s.events.size(), 2U); });
  EXPECT_EQ(registry.drops().events_limit, 1U);
  publish();
  registry.read([](const Snapshot& s) { EXPECT_TRUE(s.events.empty()); });
  EXPECT_EQ(registry.recent_events().size(), 2U);
}

TEST_F(RegistryTest, WhatAnAnalysisNoLongerSaysIsNotPublished) {
  struct Once final : Analysis {
    explicit Once(EntityId id) : entity(id) {}
    void run(const View& view, Batch& out) override {
      out.begin(view.now(), seconds{1});
      if (!said) out.add(Metric::gpu_busy_time, entity, 7);
      said = true;
    }
    EntityId entity;
    bool said = false;
  } once(gpu);
  Analysis* analyses[] = {&once};
  EXPECT_TRUE(publish(analyses).contains("gpu.busy.time"));
  clock.advance(milliseconds{100});
  EXPECT_FALSE(publish(analyses).contains("gpu.busy.time"));
}

TEST_F(RegistryTest, AHistogramIsPublishedWithItsBucketsAndItsCountAsTheValue) {
  const Time start = clock.now() - minutes{1};
  say_histogram({4, 0, 1}, start);
  EXPECT_DOUBLE_EQ(publish().at("warpsight.sink.duration"), 5);
  const Histogram histogram = published_histogram();
  EXPECT_EQ(histogram.bounds, (std::vector<double>{1, 2}));
  EXPECT_EQ(histogram.counts, (std::vector<uint64_t>{4, 0, 1}));
  EXPECT_DOUBLE_EQ(histogram.sum, 5);
  EXPECT_EQ(series(Metric::warpsight_sink_duration)->start, start);
}

TEST_F(RegistryTest, APublishedHistogramStandsStillUntilTheNextPublish) {
  say_histogram({1, 0, 0});
  publish();
  clock.advance(seconds{1});
  say_histogram({1, 0, 7}, {}, {1, 2}, 70);
  EXPECT_EQ(published_histogram().counts, (std::vector<uint64_t>{1, 0, 0}));
  EXPECT_DOUBLE_EQ(published_histogram().sum, 5);
  publish();
  EXPECT_EQ(published_histogram().counts, (std::vector<uint64_t>{1, 0, 7}));
  EXPECT_DOUBLE_EQ(published_histogram().sum, 70);
}

TEST_F(RegistryTest, AHistogramBeginsAnewWhenABucketFallsOrTheBoundsChange) {
  const Time first = clock.now();
  say_histogram({1, 1, 1});
  clock.advance(seconds{1});
  const Time second = clock.now();
  say_histogram({2, 1, 1});
  EXPECT_EQ(series(Metric::warpsight_sink_duration)->start, first);
  clock.advance(seconds{1});
  const Time third = clock.now();
  say_histogram({0, 9, 1});  // the total grew
  EXPECT_EQ(series(Metric::warpsight_sink_duration)->start, second);
  clock.advance(seconds{1});
  say_histogram({0, 9, 1}, {}, {1, 3});
  EXPECT_EQ(series(Metric::warpsight_sink_duration)->start, third);
  clock.advance(seconds{1});
  say_histogram({0, 9, 1, 0}, {}, {1, 3, 4});
  EXPECT_EQ(series(Metric::warpsight_sink_duration)->start, third + seconds{1});
  clock.advance(seconds{1});
  say_histogram({0, 0, 0, 0}, first + milliseconds{1}, {1, 3, 4});
  EXPECT_EQ(series(Metric::warpsight_sink_duration)->start, first + milliseconds{1})
      << "who writes it knows best";
}

TEST_F(RegistryTest, BadHistogramsAreDroppedAndCounted) {
  say_histogram({1, 1, 1}, {}, {2, 1});
  say_histogram({1, 1, 1}, {}, {1, 1});
  say_histogram({1, 1, 1}, {}, {1, std::numeric_limits<double>::infinity()});
  say_histogram({1, 1, 1}, {}, {1, 2}, std::numeric_limits<double>::quiet_NaN());
  say_histogram({1, 1});
  say(Metric::warpsight_sink_duration, 3);
  batch.add_histogram(Metric::gpu_power_draw, gpu, std::vector<double>{1},
                      std::vector<uint64_t>{1, 1}, 1);
  apply(nvml);
  EXPECT_EQ(registry.drops().bad_histogram, 7U);
  EXPECT_TRUE(publish().empty());
  say_histogram({7}, {}, {});
  publish();
  EXPECT_EQ(published_histogram().counts, (std::vector<uint64_t>{7})) << "no bounds, one bucket";
}

TEST_F(RegistryTest, AnEndedHistogramsPlaceIsUsedAgain) {
  say_histogram({1, 2, 3});
  publish();
  batch.gone.push_back(gpu);
  apply(nvml);
  EXPECT_TRUE(published_histogram().counts.empty());
  gpu = entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "1"}});
  const Time start = clock.now();
  say_histogram({0, 0, 1});
  EXPECT_TRUE(published_histogram().counts.empty()) << "not published yet";
  publish();
  EXPECT_EQ(published_histogram().counts, (std::vector<uint64_t>{0, 0, 1}));
  EXPECT_EQ(series(Metric::warpsight_sink_duration)->start, start)
      << "no reset against the tenant before";
  registry.read([](const Snapshot& s) { EXPECT_EQ(s.histograms.size(), 1U); });
}

TEST_F(RegistryTest, AStaleHistogramIsAbsentAndItsReturnIsSeen) {
  say_histogram({1, 2, 3});
  publish();
  clock.advance(seconds{3});
  EXPECT_TRUE(publish().empty());
  EXPECT_TRUE(published_histogram().counts.empty());
  say_histogram({1, 2, 4});
  publish();
  EXPECT_EQ(published_histogram().counts, (std::vector<uint64_t>{1, 2, 4}));
}

TEST_F(RegistryTest, SeriesLongStaleAreForgotten) {
  say(Metric::gpu_power_draw, 1);
  clock.advance(minutes{11});
  publish();
  EXPECT_EQ(registry.series_count("nvml"), 0U);
}

}  // namespace
}  // namespace warpsight
