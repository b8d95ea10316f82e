#include "sources/nvml/schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace warpsight::nvml {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(NvmlSchedule, EveryClassIsDueAtFirst) {
  Schedule schedule(seconds{1}, 3);
  for (size_t i = 0; i < static_cast<size_t>(CostClass::count); ++i) {
    EXPECT_TRUE(schedule.take(static_cast<CostClass>(i), SteadyTime{seconds{100}}));
  }
}

TEST(NvmlSchedule, AClassKeepsItsPeriodThoughTicksJitter) {
  Schedule schedule(seconds{1}, 0);
  int taken = 0;
  for (int tick = 0; tick <= 600; ++tick) {
    const auto jitter = milliseconds{tick % 2 == 0 ? 40 : -40};
    taken +=
        schedule.take(CostClass::round_trip, SteadyTime{seconds{1000 + tick} + jitter}) ? 1 : 0;
  }
  EXPECT_GE(taken, 60);
  EXPECT_LE(taken, 62);
}

TEST(NvmlSchedule, AfterAPauseThereIsNoBurst) {
  Schedule schedule(seconds{1}, 0);
  schedule.take(CostClass::round_trip, SteadyTime{seconds{0}});
  EXPECT_TRUE(schedule.take(CostClass::round_trip, SteadyTime{seconds{500}}));
  EXPECT_FALSE(schedule.take(CostClass::round_trip, SteadyTime{seconds{501}}));
  EXPECT_TRUE(schedule.take(CostClass::round_trip, SteadyTime{seconds{510}}));
}

TEST(NvmlSchedule, DearReadingsOfEightGpusAreSpreadOverTheTicks) {
  std::vector<Schedule> schedules;
  schedules.reserve(8);
  for (size_t gpu = 0; gpu < 8; ++gpu) schedules.emplace_back(seconds{1}, gpu);
  std::map<int, int> together;
  for (int tick = 0; tick < 40; ++tick) {
    for (Schedule& schedule : schedules) {
      if (schedule.take(CostClass::round_trip, SteadyTime{seconds{tick}}) && tick > 0) {
        ++together[tick];
      }
    }
  }
  for (const auto& [tick, gpus] : together) EXPECT_LE(gpus, 2) << "tick " << tick;
}

TEST(NvmlSchedule, ATickLongerThanAPeriodRulesIt) {
  const Schedule schedule(seconds{30}, 0);
  EXPECT_EQ(schedule.period(CostClass::power_samples), seconds{30});
  EXPECT_EQ(schedule.period(CostClass::facts), seconds{60});
}

}  // namespace
}  // namespace warpsight::nvml
