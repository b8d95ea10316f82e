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

TEST_F(RegistryTest, SeriesLongStaleAreForgotten) {
  say(Metric::gpu_power_draw, 1);
  clock.advance(minutes{11});
  publish();
  EXPECT_EQ(registry.series_count("nvml"), 0U);
}

}  // namespace
}  // namespace warpsight
