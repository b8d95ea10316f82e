// What is kept how long, and in how much room.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "history/fold.h"
#include "history/history.h"
#include "history/history_test.h"

namespace warpsight {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class HistoryLimits : public ::testing::Test, public HistoryBench {
 protected:
  struct Told {
    Time time;
    double gauge;
    double counter;
  };

  void run(Duration length, Duration interval) {
    for (const Time end = clock.now() + length; clock.now() < end;) {
      const double gauge = std::normal_distribution<double>(400, 25)(random_);
      total_ = random_() % 500 == 0 ? 1 : total_ + static_cast<double>(random_() % 1000);
      add(Metric::gpu_power_draw, gpu(0), gauge);
      add(Metric::gpu_busy_time, gpu(0), total_);
      told.push_back({clock.now(), gauge, total_});
      publish(interval);
    }
  }

  // What the answer should be, from all that was told.
  std::vector<double> brute(const SeriesAnswer& answer, Aggregate aggregate, bool counter) const {
    std::vector<StepSum> sums(answer.steps);
    const Told* before = nullptr;
    for (const Told& sample : told) {
      const double value = counter ? sample.counter : sample.gauge;
      if (sample.time >= answer.first) {
        const auto step = static_cast<size_t>((sample.time - answer.first) / answer.step);
        if (step >= sums.size()) break;
        sums[step].add(value);
        if (before != nullptr && value >= before->counter && counter) {
          sums[step].gain += value - before->counter;
          sums[step].seconds += to_seconds(sample.time - before->time);
        }
      }
      before = &sample;
    }
    std::vector<double> values;
    for (const StepSum& sum : sums) {
      const double of[] = {sum.sum / sum.count, sum.min, sum.max, sum.last, sum.gain / sum.seconds};
      values.push_back(of[static_cast<size_t>(aggregate)]);
    }
    return values;
  }

  void expect_brute(const SeriesQuery& asked, bool counter, double tolerance) {
    const auto answer = history->series(asked);
    ASSERT_TRUE(answer) << describe(answer.error());
    ASSERT_EQ(answer->rows.size(), 1);
    const auto wanted = brute(*answer, asked.aggregate, counter);
    size_t compared = 0;
    for (size_t i = 0; i < answer->steps; ++i) {
      if (std::isnan(wanted[i])) continue;
      ++compared;
      EXPECT_NEAR(answer->rows[0].values[i], wanted[i], tolerance * std::fabs(wanted[i]))
          << to_string(asked.aggregate) << " step " << i;
    }
    EXPECT_GT(compared, 5);
  }

  std::vector<Told> told;

 private:
  std::mt19937_64 random_{7};
  double total_ = 0;
};

TEST_F(HistoryLimits, OldSamplesBecomeFiveMinutes) {
  settings.full_for = hours{3};
  settings.kept_for = hours{24};
  open();
  const Time start = clock.now();
  run(hours{12}, std::chrono::seconds{20});
  for (const bool restarted : {false, true}) {
    if (restarted) {
      stop();
      open();
    }
    SeriesQuery asked = query("gpu.power.draw", start, std::chrono::seconds{20});
    asked.to = start + hours{2};
    const auto coarse = history->series(asked);
    ASSERT_TRUE(coarse);
    EXPECT_EQ(coarse->step, kCoarseStep);
    asked.from = clock.now() - hours{2};
    asked.to = clock.now();
    const auto full = history->series(asked);
    ASSERT_TRUE(full);
    EXPECT_EQ(full->step, std::chrono::seconds{20});

    for (const Aggregate a : {Aggregate::mean, Aggregate::min, Aggregate::max, Aggregate::last}) {
      expect_brute(query("gpu.power.draw", start, minutes{5}, a), false, 7e-5);
      expect_brute(query("gpu.power.draw", start, minutes{15}, a), false, 7e-5);
    }
    expect_brute(query("gpu.busy.time", start, minutes{5}, Aggregate::last), true, 0);
    expect_brute(query("gpu.busy.time", start, minutes{5}, Aggregate::max), true, 0);
    // Where five minutes end and full resolution begins, one of 30 gains is not known.
    expect_brute(query("gpu.busy.time", start, minutes{10}, Aggregate::rate), true, 0.04);
  }
  EXPECT_LE(clock.now() - history->status().oldest_full, hours{6});
  EXPECT_EQ(history->status().oldest, start);
}

TEST_F(HistoryLimits, WhatIsTooOldGoesAndItsSeriesWithIt) {
  settings.full_for = hours{2};
  settings.kept_for = hours{12};
  open();
  const Time start = clock.now();
  add(Metric::gpu_temperature, gpu(7), 50);
  batch.events.push_back(
      {.time = start, .name = "gpu.xid", .entity = gpu(7), .message = "", .attributes = {}});
  publish();
  EXPECT_EQ(history->known({"gpu.temperature"}, {})->size(), 1);
  run(hours{30}, minutes{1});
  EXPECT_LE(clock.now() - history->status().oldest, hours{20});
  EXPECT_TRUE(history->known({"gpu.temperature"}, {})->empty());
  EXPECT_TRUE(history->events({.from = start, .to = clock.now()})->events.empty());
  EXPECT_EQ(history->status().series, 2);
  expect_brute(query("gpu.power.draw", clock.now() - hours{8}, minutes{5}, Aggregate::mean), false,
               7e-5);
}

TEST_F(HistoryLimits, AClockThatJumpsAheadAgesNothingUntilItGoesOn) {
  settings.full_for = hours{12};
  settings.kept_for = hours{48};
  open();
  const Time start = clock.now();
  batch.events.push_back(
      {.time = start, .name = "gpu.xid", .entity = gpu(7), .message = "", .attributes = {}});
  run(hours{8}, minutes{1});
  const auto remembers = [&] {
    SeriesQuery asked = query("gpu.power.draw", start, minutes{5});
    asked.to = start + hours{8};
    const auto answer = history->series(asked);
    return answer && answer->rows.size() == 1 &&
           history->events({.from = start, .to = start + hours{1}})->events.size() == 1;
  };
  ASSERT_TRUE(remembers());
  clock.advance(hours{24 * 30});
  run(minutes{2}, minutes{1});
  EXPECT_TRUE(remembers());
  EXPECT_EQ(history->status().oldest, start);
  // Nor does a start with a clock that is ahead.
  stop();
  clock.advance(hours{24 * 30});
  open();
  EXPECT_TRUE(remembers());
  // It was right after all.
  run(hours{5}, minutes{1});
  EXPECT_FALSE(remembers());
  EXPECT_GT(history->status().oldest, start + hours{24 * 20});
}

// Within the ten minutes that the registry goes on with the same birth.
TEST_F(HistoryLimits, ASeriesThatWasForgottenAndComesBackIsANewOne) {
  settings.full_for = minutes{1};
  settings.kept_for = minutes{1};
  open();
  add(Metric::gpu_temperature, gpu(7), 50);
  publish(std::chrono::milliseconds{100});
  run(minutes{9}, std::chrono::milliseconds{100});
  ASSERT_TRUE(history->known({"gpu.temperature"}, {})->empty());
  const Time back = clock.now();
  for (int i = 0; i < 20; ++i) {
    add(Metric::gpu_temperature, gpu(7), 51);
    publish();
  }
  const auto answer = history->series(query("gpu.temperature", back, kTestInterval));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rows.size(), 1);
}

TEST_F(HistoryLimits, TheFileStaysWithinItsSize) {
  settings.max_bytes = uint64_t{1200} << 10;
  settings.full_for = hours{240};
  open();
  std::mt19937_64 random(3);
  const Time start = clock.now();
  uint64_t largest = 0;
  for (int i = 0; i < 1500; ++i) {
    for (int g = 0; g < 150; ++g) {
      add(Metric::gpu_power_draw, gpu(g), std::normal_distribution<double>(400, 80)(random));
    }
    publish(std::chrono::seconds{60});
    if (i % 10 == 0) largest = std::max(largest, history->status().bytes);
  }
  const HistoryStatus status = history->status();
  EXPECT_TRUE(status.up) << status.last_error;
  EXPECT_EQ(status.dropped, 0);
  EXPECT_LE(largest, settings.max_bytes + (64U << 10U));  // the shared memory of the log beside it
  EXPECT_GT(status.oldest_full, start);
  const auto answer = history->series(query("gpu.power.draw", clock.now() - hours{1}, minutes{1}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rows.size(), 150);

  // A smaller limit holds after a restart.
  stop();
  settings.max_bytes = uint64_t{1000} << 10;
  open();
  for (int i = 0; i < 400; ++i) {
    add(Metric::gpu_power_draw, gpu(0), i);
    publish(std::chrono::seconds{60});
  }
  EXPECT_LE(history->status().bytes, settings.max_bytes + (64U << 10U));
  EXPECT_TRUE(history->status().up) << history->status().last_error;
}

}  // namespace
}  // namespace warpsight
