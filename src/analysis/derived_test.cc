#include "analysis/derived.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace warpsight {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class DerivedTest : public testing::Test {
 protected:
  void say(EntityId gpu, Metric metric, double value) {
    batch.begin(clock.now(), seconds{1});
    batch.add(metric, gpu, value);
    registry.apply(nvml, batch, clock.now());
  }
  // "metric@gpu.index" -> value
  std::map<std::string, double> publish() {
    Analysis* analyses[] = {&derived};
    registry.publish(clock.now(), analyses);
    return registry.read([&](const Snapshot& snapshot) {
      std::map<std::string, double> values;
      for (const Sample& sample : snapshot.samples) {
        const Series* s = snapshot.series_of(sample);
        values[std::string(row(s->metric).name) + "@" +
               entities.attribute(s->entity, "gpu.index")] = sample.value;
      }
      return values;
    });
  }

  ManualClock clock;
  EntityTable entities;
  Registry registry{entities};
  uint16_t nvml = registry.add_source("nvml");
  Derived derived{entities};
  EntityId gpu0 = entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  EntityId gpu1 = entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "1"}});
  Batch batch;
};

TEST_F(DerivedTest, PeakFloorAndBusySecondsComeFromTheSamples) {
  batch.begin(clock.now(), seconds{5});
  for (int i = 0; i < 10; ++i) {
    batch.add(Metric::gpu_utilization, gpu0, i == 5 ? 1.0 : 0.5,
              clock.now() + i * milliseconds{200});
  }
  clock.advance(seconds{2});
  registry.apply(nvml, batch, clock.now());
  const auto values = publish();
  EXPECT_DOUBLE_EQ(values.at("gpu.utilization.peak@0"), 1.0);
  EXPECT_DOUBLE_EQ(values.at("gpu.utilization.floor@0"), 0.5);
  // Nine steps of 0.2 s, eight at one half and one whole.
  EXPECT_NEAR(values.at("gpu.busy.time@0"), 0.2 * (8 * 0.5 + 1), 1e-9);
}

TEST_F(DerivedTest, IdleGpusCountInTheNodesMean) {
  say(gpu0, Metric::gpu_utilization, 0.0);
  say(gpu1, Metric::gpu_utilization, 0.9);
  const auto values = publish();
  EXPECT_DOUBLE_EQ(values.at("host.gpu.utilization.avg@"), 0.45);
  EXPECT_DOUBLE_EQ(values.at("host.gpu.utilization.min@"), 0.0);
  EXPECT_DOUBLE_EQ(values.at("host.gpu.utilization.max@"), 0.9);
}

TEST_F(DerivedTest, SharesAreOfTheSameGpu) {
  say(gpu0, Metric::gpu_memory_used, 20);
  say(gpu0, Metric::gpu_memory_total, 80);
  say(gpu1, Metric::gpu_memory_used, 20);  // total not known
  say(gpu0, Metric::gpu_power_draw, 350);
  say(gpu0, Metric::gpu_power_limit, 700);
  const auto values = publish();
  EXPECT_DOUBLE_EQ(values.at("gpu.memory.used.percent@0"), 25);
  EXPECT_FALSE(values.contains("gpu.memory.used.percent@1"));
  EXPECT_DOUBLE_EQ(values.at("gpu.power.utilization@0"), 0.5);
}

TEST_F(DerivedTest, ASlowLinkIsATroubleOnlyWhileBusy) {
  const auto link = [&](EntityId gpu, double busy) {
    say(gpu, Metric::gpu_utilization, busy);
    say(gpu, Metric::gpu_pcie_link_gen_current, 1);
    say(gpu, Metric::gpu_pcie_link_gen_max, 5);
    say(gpu, Metric::gpu_pcie_link_width_current, 16);
    say(gpu, Metric::gpu_pcie_link_width_max, 16);
  };
  link(gpu0, 0.8);
  link(gpu1, 0.0);
  const auto values = publish();
  EXPECT_DOUBLE_EQ(values.at("gpu.pcie.link.downtraining@0"), 1);
  EXPECT_FALSE(values.contains("gpu.pcie.link.downtraining@1"));
}

// Two minutes of 50 Hz power samples at `watts`, against an energy counter read every 10 s.
class EnergyTest : public DerivedTest {
 protected:
  double deviation(double watts, double metered_watts) {
    double last = 1e9;
    for (int second = 1; second <= 120; ++second) {
      batch.begin(clock.now(), seconds{2});
      for (int i = 1; i <= 50; ++i) {
        batch.add(Metric::gpu_power_draw, gpu0, watts, clock.now() + i * milliseconds{20});
      }
      clock.advance(seconds{1});
      batch.begin(clock.now(), seconds{10});
      const bool due = second % 10 == 0;
      if (due) batch.add(Metric::gpu_energy_consumption, gpu0, 1e6 + second * metered_watts);
      registry.apply(nvml, batch, clock.now());
      if (!due) continue;
      const auto values = publish();
      if (const auto found = values.find("gpu.energy.deviation@0"); found != values.end()) {
        last = found->second;
      }
    }
    return last;
  }
};

TEST_F(EnergyTest, MetersThatAgreeDeviateByNothing) {
  EXPECT_NEAR(deviation(500, 500), 0, 0.005);
  EXPECT_TRUE(registry.recent_events().empty());
}

TEST_F(EnergyTest, MetersThatPartAreToldOnce) {
  EXPECT_NEAR(deviation(600, 500), 0.2, 0.005);
  ASSERT_EQ(registry.recent_events().size(), 1U);
  EXPECT_EQ(registry.recent_events()[0].name, "gpu.energy.mismatch");
}

TEST_F(EnergyTest, AMeterThatIsOffByATenthShows) { EXPECT_NEAR(deviation(550, 500), 0.1, 0.005); }

}  // namespace
}  // namespace warpsight
