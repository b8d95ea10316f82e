// Queries while the agent writes; run under a sanitizer of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "history/history.h"
#include "history/history_test.h"

namespace warpsight {
namespace {

TEST(HistoryThreads, QueriesSeeWholeFramesWhileBlocksAreWritten) {
  HistoryBench bench;
  bench.open();
  const Time from = bench.clock.now();
  constexpr int kRecorded = 800;
  std::atomic<bool> done = false;
  std::atomic<int> asked = 0;
  const auto look = [&](const HistoryReader& reader) {
    SeriesQuery query;
    query.metrics = {"gpu.temperature"};
    query.from = from;
    query.to = from + kTestInterval * (kRecorded + 10);
    query.step = kTestInterval;
    query.aggregate = Aggregate::last;
    while (!done || asked < 4) {
      const auto answer = reader.series(query);
      ASSERT_TRUE(answer) << describe(answer.error());
      for (const SeriesAnswer::Row& row : answer->rows) {
        // Nothing is missing between the first frame and the last that is seen.
        bool ended = false;
        for (size_t i = 0; i < row.values.size(); ++i) {
          ended |= std::isnan(row.values[i]);
          if (ended) {
            EXPECT_TRUE(std::isnan(row.values[i])) << i;
          } else {
            EXPECT_EQ(row.values[i], static_cast<double>(i));
          }
        }
      }
      EXPECT_TRUE(reader.known({}, {}));
      EXPECT_TRUE(reader.events({.from = query.from, .to = query.to}));
      ++asked;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { look(*bench.history); });
  std::thread other([&] {
    auto reader = open_history(bench.settings.directory);
    ASSERT_TRUE(reader) << describe(reader.error());
    look(**reader);
  });
  for (int i = 0; i < kRecorded; ++i) {
    for (int g = 0; g < 3; ++g) bench.add(Metric::gpu_temperature, bench.gpu(g), i);
    bench.publish();
    static_cast<void>(bench.history->status());
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  other.join();
  EXPECT_EQ(bench.history->status().dropped, 0);
  EXPECT_TRUE(bench.history->stop(kTestPatience));
}

}  // namespace
}  // namespace warpsight
