#include <utility>

#include "analysis/serving_windows_test.h"

namespace warpsight {
namespace {

using ServingQuantilesTest = ServingWindowsTest;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(ServingQuantilesTest, QuantilesAreLinearInsideABucket) {
  observe(Metric::llm_ttft, llama_, {5, 5, 5, 5, 5});
  publish();
  EXPECT_EQ(ttft("0.5"), std::nullopt);
  pass();
  // Gains: 100 up to 0.1, none up to 0.2, 80 up to 0.4, 16 up to 1, 4 above.
  observe(Metric::llm_ttft, llama_, {105, 5, 85, 21, 9});
  publish();
  EXPECT_DOUBLE_EQ(*ttft("0.5"), 0.1);
  EXPECT_DOUBLE_EQ(*ttft("0.9"), 0.4);
  EXPECT_DOUBLE_EQ(*ttft("0.95"), 0.4 + 0.6 * 10 / 16);
  EXPECT_DOUBLE_EQ(*ttft("0.99"), 1.0);
  pass();
  // 40 more, all in the first bucket: it begins at zero.
  observe(Metric::llm_ttft, llama_, {145, 5, 85, 21, 9});
  publish();
  EXPECT_DOUBLE_EQ(*ttft("0.5"), 0.05);
  EXPECT_DOUBLE_EQ(*ttft("0.99"), 0.099);
  pass();
  observe(Metric::llm_ttft, llama_, {145, 5, 85, 21, 9});
  publish();
  EXPECT_EQ(ttft("0.5"), std::nullopt) << "no observations";
}

TEST_F(ServingQuantilesTest, EachLatencyHasItsName) {
  const std::pair<Metric, std::string_view> names[] = {
      {Metric::llm_ttft, "ttft"},
      {Metric::llm_itl, "itl"},
      {Metric::llm_tpot, "tpot"},
      {Metric::llm_request_latency, "request"},
      {Metric::llm_queue_latency, "queue"},
      {Metric::llm_prefill_duration, "prefill"},
      {Metric::llm_decode_duration, "decode"},
  };
  const auto scrape = [&](uint64_t n) {
    uint64_t factor = 1;
    for (const auto& [metric, name] : names) observe(metric, llama_, {n, n * factor++, 0, 0, 0});
    publish();
    pass();
  };
  scrape(0);
  scrape(10);
  double factor = 1;
  for (const auto& [metric, name] : names) {
    // 10 up to 0.1 and 10 × factor up to 0.2.
    EXPECT_DOUBLE_EQ(*quantile(name, "0.9", llama_), 0.1 + 0.1 * (0.9 * (1 + factor) - 1) / factor);
    factor += 1;
  }
}

TEST_F(ServingQuantilesTest, AMillionOldFastRequestsDoNotHideNewSlowOnes) {
  observe(Metric::llm_ttft, llama_, {1'000'000, 0, 0, 0, 0});
  publish();
  pass();
  observe(Metric::llm_ttft, llama_, {1'000'000, 0, 0, 3000, 0});
  publish();
  EXPECT_DOUBLE_EQ(*ttft("0.95"), 0.4 + 0.6 * 0.95);
}

TEST_F(ServingQuantilesTest, FacetsWithEqualBoundsAreAddedUpInQuantiles) {
  const EntityId chat = facet(llama_, "route", "chat");
  const EntityId complete = facet(llama_, "route", "completions");
  observe(Metric::llm_ttft, chat, {0, 0, 0, 0, 0});
  observe(Metric::llm_ttft, complete, {0, 0, 0, 0, 0});
  publish();
  pass();
  observe(Metric::llm_ttft, chat, {60, 0, 0, 0, 0});
  observe(Metric::llm_ttft, complete, {0, 40, 0, 0, 0});
  publish();
  EXPECT_DOUBLE_EQ(*ttft("0.9"), 0.1 + 0.1 * 30 / 40);
}

TEST_F(ServingQuantilesTest, OfUnequalBoundsThoseWithTheMostObservationsAreTold) {
  const EntityId chat = facet(llama_, "route", "chat");
  const EntityId complete = facet(llama_, "route", "completions");
  const EntityId batch = facet(llama_, "route", "batch");
  const auto scrape = [&](uint64_t n) {
    bounds_ = {0.1, 0.2};
    observe(Metric::llm_ttft, chat, {0, 3 * n, 0});
    bounds_ = {5, 10};
    observe(Metric::llm_ttft, complete, {0, 2 * n, 0});
    observe(Metric::llm_ttft, batch, {0, 2 * n, 0});
    publish();
    pass();
  };
  scrape(0);
  scrape(10);
  EXPECT_DOUBLE_EQ(*ttft("0.5"), 7.5);
}

TEST_F(ServingQuantilesTest, BucketsThatFellBeganAnew) {
  observe(Metric::llm_ttft, llama_, {1000, 0, 0, 10, 0});
  publish();
  pass();
  // More in all, but the fourth bucket fell.
  observe(Metric::llm_ttft, llama_, {0, 2000, 0, 0, 0});
  publish();
  EXPECT_DOUBLE_EQ(*ttft("0.5"), 0.15);
}

TEST_F(ServingQuantilesTest, OtherBoundsCountOnlyWhenTheyAreKnownToBeNew) {
  const Time start = clock_.now() - minutes{1};
  observe(Metric::llm_ttft, llama_, {1, 0, 0, 0, 0}, 0, start);
  publish();
  pass();
  bounds_ = {2, 4};
  observe(Metric::llm_ttft, llama_, {0, 100, 0}, 0, start);
  publish();
  EXPECT_EQ(ttft("0.5"), std::nullopt);
  pass();
  bounds_ = {6, 8};
  observe(Metric::llm_ttft, llama_, {0, 100, 0}, 0, clock_.now() - seconds{1});
  publish();
  EXPECT_DOUBLE_EQ(*ttft("0.5"), 7);
}

}  // namespace
}  // namespace warpsight
