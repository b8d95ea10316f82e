#include "history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "history/history_test.h"

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

constexpr Duration kMinute = std::chrono::minutes{1};

class HistoryTest : public ::testing::Test, public HistoryBench {};

std::vector<double> only_row(const Result<SeriesAnswer>& answer) {
  EXPECT_TRUE(answer) << describe(answer.error());
  if (!answer || answer->rows.size() != 1) {
    ADD_FAILURE() << (answer ? answer->rows.size() : 0) << " rows";
    return {};
  }
  return answer->rows[0].values;
}

TEST_F(HistoryTest, WhatWasJustRecordedIsSeen) {
  open();
  const Time from = clock.now();
  for (int i = 0; i < 3; ++i) {
    add(Metric::gpu_temperature, gpu(0), 60 + i);
    publish();
  }
  const auto answer = history->series(query("gpu.temperature", from, kTestInterval));
  EXPECT_THAT(only_row(answer), ElementsAre(60, 61, 62));
  EXPECT_EQ(answer->first, from);
  EXPECT_EQ(answer->rows[0].unit, "Cel");
  EXPECT_EQ(answer->rows[0].kind, MetricKind::gauge);
  EXPECT_THAT(answer->rows[0].attributes, ElementsAre(Attribute{"gpu.index", "0"}));
  EXPECT_EQ(history->status().series, 1);
  EXPECT_EQ(history->status().oldest, from);
}

TEST_F(HistoryTest, ARestartLeavesAGapAndTheSameSeries) {
  open();
  const Time from = clock.now();
  add(Metric::gpu_temperature, gpu(0), 60);
  publish();
  stop();
  clock.advance(kMinute);
  open();
  add(Metric::gpu_temperature, gpu(0), 61);
  publish();
  EXPECT_THAT(only_row(history->series(query("gpu.temperature", from, kTestInterval))),
              ElementsAre(60, IsNan(), IsNan(), IsNan(), IsNan(), IsNan(), IsNan(), 61));
  EXPECT_EQ(history->status().series, 1);
}

TEST_F(HistoryTest, BlocksAndRestartsDoNotShow) {
  open();
  const Time from = clock.now();
  std::mt19937_64 random(1);
  std::vector<double> wanted;
  for (int i = 0; i < 1000; ++i) {
    wanted.push_back(static_cast<double>(random() % 100'000'000));
    add(Metric::gpu_memory_used, gpu(0), wanted.back());
    publish();
    if (i == 250 || i == 700) {
      stop();
      open();
    }
  }
  EXPECT_EQ(only_row(history->series(query("gpu.memory.used", from, kTestInterval))), wanted);
  stop();
  const auto reader = open_history(settings.directory);
  ASSERT_TRUE(reader) << describe(reader.error());
  EXPECT_EQ(only_row((*reader)->series(query("gpu.memory.used", from, kTestInterval))), wanted);
}

TEST_F(HistoryTest, AnotherProcessSeesWhatWasFlushed) {
  open();
  const Time from = clock.now();
  for (int i = 0; i < 6; ++i) {
    add(Metric::gpu_temperature, gpu(0), 60 + i);
    publish();
  }
  ASSERT_TRUE(history->known({}, {}));
  const auto reader = open_history(settings.directory);
  ASSERT_TRUE(reader) << describe(reader.error());
  EXPECT_THAT(only_row((*reader)->series(query("gpu.temperature", from, kTestInterval))),
              ElementsAre(60, 61, 62, 63, 64, 65));
}

TEST_F(HistoryTest, StepsSayWhatTheirSamplesComeTo) {
  open();
  const Time from = clock.now();
  for (const double value : {5, 1, 3, 2, 8, 6}) {
    add(Metric::gpu_temperature, gpu(0), value);
    publish();
  }
  const auto ask = [&](Aggregate a) {
    return only_row(history->series(query("gpu.temperature", from, std::chrono::seconds{30}, a)));
  };
  EXPECT_THAT(ask(Aggregate::mean), ElementsAre(3, 16.0 / 3));
  EXPECT_THAT(ask(Aggregate::min), ElementsAre(1, 2));
  EXPECT_THAT(ask(Aggregate::max), ElementsAre(5, 8));
  EXPECT_THAT(ask(Aggregate::last), ElementsAre(3, 6));
}

TEST_F(HistoryTest, ARateLeavesResetsOut) {
  open();
  const Time from = clock.now();
  for (const double value : {100, 120, 140, 10, 20, 50}) {
    add(Metric::gpu_busy_time, gpu(0), value);
    publish();
  }
  EXPECT_THAT(
      only_row(history->series(query("gpu.busy.time", from, kTestInterval, Aggregate::rate))),
      ElementsAre(IsNan(), 2, 2, IsNan(), 1, 3));
  EXPECT_THAT(only_row(history->series(query("gpu.busy.time", from, kMinute, Aggregate::rate))),
              ElementsAre(2));
}

TEST_F(HistoryTest, AGaugeHasNoRate) {
  open();
  const Time from = clock.now();
  add(Metric::gpu_temperature, gpu(0), 1);
  publish();
  const auto refused = history->series(query("gpu.temperature", from, kMinute, Aggregate::rate));
  ASSERT_FALSE(refused);
  EXPECT_THAT(describe(refused.error()), HasSubstr("gpu.temperature is no counter; ask for mean"));
  EXPECT_EQ(refused.error().cause, QueryError::Cause::question);
}

TEST_F(HistoryTest, AStepThatJitterLeftEmptyIsNoGap) {
  open();
  const Time from = clock.now();
  // On the step's edge: 0 s, 9.998 s, 20.001 s, 30 s.
  const Duration jitter = std::chrono::milliseconds{2};
  int value = 0;
  for (const Duration after :
       {kTestInterval - jitter, kTestInterval + jitter, kTestInterval, kTestInterval}) {
    add(Metric::gpu_temperature, gpu(0), value++);
    publish(after);
  }
  EXPECT_THAT(only_row(history->series(query("gpu.temperature", from, kTestInterval))),
              ElementsAre(1, 1, 2, 3));
}

TEST_F(HistoryTest, MatchersAndLimitsPick) {
  open();
  const Time from = clock.now();
  for (int i = 0; i < 12; ++i) add(Metric::gpu_temperature, gpu(i), i);
  add(Metric::gpu_memory_used, gpu(3), 7);
  publish();
  SeriesQuery asked = query("gpu.temperature", from, kTestInterval);
  asked.matchers = {{"gpu.index", {"2", "10"}}};
  auto answer = history->series(asked);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->rows.size(), 2);
  EXPECT_EQ(answer->rows[0].attributes[0].value, "2");
  EXPECT_EQ(answer->rows[1].attributes[0].value, "10");

  asked.matchers = {{"gpu.index", {"3"}}};
  asked.metrics = {"gpu.memory.used", "gpu.temperature"};
  answer = history->series(asked);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->rows.size(), 2);
  EXPECT_EQ(answer->rows[0].metric, "gpu.memory.used");

  asked.matchers = {};
  asked.limit = 5;
  answer = history->series(asked);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rows.size(), 5);
  EXPECT_EQ(answer->left_out, 8);
}

TEST_F(HistoryTest, AnswersAreBounded) {
  open();
  SeriesQuery asked =
      query("gpu.temperature", clock.now() - std::chrono::hours{24 * 365}, std::chrono::seconds{1});
  const auto too_fine = history->series(asked);
  ASSERT_FALSE(too_fine);
  EXPECT_EQ(too_fine.error().cause, QueryError::Cause::question);
  EXPECT_THAT(too_fine.error().hint, HasSubstr("at least"));
  asked.step = std::chrono::milliseconds{10};
  EXPECT_FALSE(history->series(asked));
  asked.step = {};
  EXPECT_TRUE(history->series(asked));
  asked.metrics = {};
  EXPECT_FALSE(history->series(asked));
  asked = query("gpu.temperature", clock.now() + kMinute, kMinute);
  EXPECT_FALSE(history->series(asked));
}

TEST_F(HistoryTest, NoStepOrTimeIsTooFarToReckonWith) {
  const auto year = [](int n) { return Time{std::chrono::sys_days{std::chrono::year{n} / 1 / 1}}; };
  SeriesQuery asked = query("gpu.temperature", Time{}, std::chrono::seconds{1'000'000'000});
  EXPECT_THAT(describe(check(asked).error()), HasSubstr("longer than 366 days"));
  asked.from = clock.now() - kTestInterval;
  asked.step = std::chrono::seconds{9'000'000'000};
  EXPECT_THAT(describe(check(asked).error()), HasSubstr("longer than 366 days"));
  asked.step = std::chrono::hours{24 * 366};
  EXPECT_TRUE(check(asked));
  asked.from = Time{};
  asked.to = year(2200);
  EXPECT_TRUE(check(asked));
  asked.to = Time{std::chrono::seconds{9'000'000'000}};
  EXPECT_THAT(describe(check(asked).error()), HasSubstr("after 2199"));
}

TEST_F(HistoryTest, AStepIsChosenThatSuitsTheRange) {
  open();
  for (int i = 0; i < 2; ++i) {
    add(Metric::gpu_temperature, gpu(0), 60);
    publish();
  }
  const auto step_of = [&](Duration range) {
    const auto answer = history->series(query("gpu.temperature", clock.now() - range, {}));
    return answer ? answer->step : Duration{};
  };
  EXPECT_EQ(step_of(std::chrono::minutes{5}), kTestInterval);
  EXPECT_EQ(step_of(std::chrono::hours{1}), kTestInterval);
  EXPECT_EQ(step_of(std::chrono::hours{24}), std::chrono::minutes{2});
}

TEST_F(HistoryTest, EventsAreKeptWithWhatTheirEntityIs) {
  open();
  const Time from = clock.now();
  const auto happen = [&](std::string name, Severity severity, int index) {
    batch.events.push_back({.time = clock.now(),
                            .name = std::move(name),
                            .severity = severity,
                            .entity = gpu(index),
                            .message = "it happened",
                            .attributes = {{"gpu.xid.code", "79"}}});
    publish();
  };
  happen("gpu.xid", Severity::error, 0);
  happen("gpu.throttle", Severity::info, 1);
  happen("host.boot", Severity::warning, 1);
  for (const bool restarted : {false, true}) {
    if (restarted) {
      stop();
      open();
    }
    EventQuery asked{.from = from, .to = clock.now()};
    auto answer = history->events(asked);
    ASSERT_TRUE(answer) << describe(answer.error());
    ASSERT_EQ(answer->events.size(), 3);
    EXPECT_EQ(answer->events[0].name, "host.boot");
    EXPECT_EQ(answer->events[2].time, from);
    EXPECT_THAT(answer->events[2].attributes,
                ElementsAre(Attribute{"gpu.index", "0"}, Attribute{"gpu.xid.code", "79"}));
    asked.names = {"gpu.*"};
    EXPECT_EQ(history->events(asked)->events.size(), 2);
    asked.least = Severity::error;
    EXPECT_EQ(history->events(asked)->events.size(), 1);
    asked = {.from = from, .to = clock.now(), .matchers = {{"gpu.index", {"1"}}}, .limit = 1};
    answer = history->events(asked);
    ASSERT_EQ(answer->events.size(), 1);
    EXPECT_EQ(answer->events[0].name, "host.boot");
    EXPECT_TRUE(answer->more);
  }
}

TEST_F(HistoryTest, AFrameThatIsNotNewerIsCounted) {
  open();
  const Time from = clock.now();
  add(Metric::gpu_temperature, gpu(0), 1);
  publish();
  registry.read([&](const Snapshot& snapshot) { history->record(snapshot); });
  EXPECT_THAT(only_row(history->series(query("gpu.temperature", from, kTestInterval))),
              ElementsAre(1));
  EXPECT_EQ(history->status().dropped, 1);
}

TEST_F(HistoryTest, ASecondSeriesOfTheSameNameIsCounted) {
  open();
  const Time from = clock.now();
  const auto twin = [&](const char* hidden) {
    return entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}, {".pci", hidden}});
  };
  add(Metric::gpu_temperature, twin("a"), 1);
  add(Metric::gpu_temperature, twin("b"), 2);
  publish();
  EXPECT_THAT(only_row(history->series(query("gpu.temperature", from, kTestInterval))),
              ElementsAre(1));
  EXPECT_EQ(history->status().dropped, 1);
}

// Short blocks: the registry, which forgets after ten minutes, goes on with the same birth.
TEST_F(HistoryTest, ASeriesThatWasAwayForBlocksGoesOn) {
  open();
  const Duration interval = std::chrono::milliseconds{500};
  const auto run = [&](int frames, bool there) {
    for (int i = 0; i < frames; ++i) {
      add(Metric::gpu_memory_used, gpu(0), i);
      if (there) add(Metric::gpu_temperature, gpu(0), i);
      publish(interval);
    }
  };
  run(10, true);
  const auto rows = [&](Time from, const HistoryReader& reader) {
    const auto answer = reader.series(query("gpu.temperature", from, std::chrono::seconds{1}));
    return answer ? answer->rows.size() : 99;
  };
  for (int round = 0; round < 2; ++round) {
    run(720, false);
    ASSERT_EQ(rows(clock.now() - kMinute, *history), 0);
    const Time back = clock.now();
    run(1, true);
    EXPECT_EQ(rows(back, *history), 1) << "before it is flushed";
    run(800, true);
    EXPECT_EQ(rows(back, *history), 1);
    EXPECT_EQ((*history->known({"gpu.temperature"}, {}))[0].last, clock.now() - interval);
    const auto reader = open_history(settings.directory);
    ASSERT_TRUE(reader) << describe(reader.error());
    EXPECT_EQ(rows(back, **reader), 1);
  }
  EXPECT_EQ(history->status().series, 2);
  EXPECT_EQ(history->status().dropped, 0);
}

TEST_F(HistoryTest, KnownSeriesSayWhenTheyWere) {
  open();
  const Time first = clock.now();
  add(Metric::gpu_temperature, gpu(0), 1);
  publish();
  add(Metric::gpu_temperature, gpu(0), 2);
  add(Metric::gpu_memory_used, gpu(1), 2);
  publish();
  const auto known = history->known({"gpu.temperature"}, {});
  ASSERT_TRUE(known);
  ASSERT_EQ(known->size(), 1);
  EXPECT_EQ((*known)[0].first, first);
  EXPECT_EQ((*known)[0].last, clock.now() - kTestInterval);
  EXPECT_EQ(history->known({}, {})->size(), 2);
  EXPECT_EQ(history->known({}, {{"gpu.index", {"1"}}})->size(), 1);
}

TEST(HistoryOfNothing, SaysWhatToDo) {
  const TestDir dir;
  const auto reader = open_history(dir.path());
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().hint, HasSubstr("start the agent"));
}

}  // namespace
}  // namespace warpsight
