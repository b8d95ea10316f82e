#include "wire/otlp/exponential_layout.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "wire/otlp/encoder_for_test.h"

namespace warpsight::otlp {
namespace {

using ::testing::ElementsAre;
namespace oracle = testing::oracle;

double lower_edge(const ExponentialLayout& layout, size_t bucket) {
  return std::exp2(std::ldexp(layout.offset() + static_cast<double>(bucket), -layout.scale()));
}

class Bounds : public ::testing::TestWithParam<std::vector<double>> {};

TEST_P(Bounds, EachBucketGoesWhereItsMiddleIs) {
  const std::vector<double>& bounds = GetParam();
  const ExponentialLayout layout(bounds);
  std::vector<uint64_t> buckets;
  for (size_t i = 0; i <= bounds.size(); ++i) {
    std::vector<uint64_t> counts(bounds.size() + 1, 0);
    counts[i] = 3;
    const uint64_t zeros = layout.spread(counts, buckets);
    ASSERT_LE(buckets.size(), size_t{ExponentialLayout::kMaxBuckets});
    const uint64_t sum = std::accumulate(buckets.begin(), buckets.end(), zeros);
    EXPECT_EQ(sum, 3U) << "bucket " << i;
    const bool is_last = i == bounds.size();
    const bool positive = is_last ? !bounds.empty() && bounds.back() > 0 : bounds[i] > 0;
    EXPECT_EQ(zeros, positive ? 0U : 3U) << "bucket " << i;
    if (!positive) continue;
    const auto at = static_cast<size_t>(std::ranges::find(buckets, 3U) - buckets.begin());
    ASSERT_LT(at, buckets.size());
    // A bit of room for rounding at the edges.
    const double lower = lower_edge(layout, at) * (1 - 1e-9);
    const double upper = lower_edge(layout, at + 1) * (1 + 1e-9);
    if (is_last) {
      EXPECT_GE(upper, bounds.back());
      continue;
    }
    const double below = i > 0 && bounds[i - 1] > 0 ? bounds[i - 1] : bounds[i] / 2;
    const double middle = std::sqrt(below) * std::sqrt(bounds[i]);
    EXPECT_LE(lower, middle) << "bucket " << i;
    EXPECT_GE(upper, middle) << "bucket " << i;
  }
}

TEST_P(Bounds, TheScaleIsTheFinestThatFits) {
  const ExponentialLayout layout(GetParam());
  std::vector<uint64_t> buckets;
  layout.spread(std::vector<uint64_t>(GetParam().size() + 1, 1), buckets);
  if (layout.scale() > -10 && layout.scale() < 20 && !buckets.empty()) {
    EXPECT_GT(buckets.size(), size_t{ExponentialLayout::kMaxBuckets} / 2 - 2);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Many, Bounds,
    ::testing::Values(std::vector<double>{}, std::vector<double>{1}, std::vector<double>{-5, -1},
                      std::vector<double>{-1, 0, 1}, std::vector<double>{0, 0.5, 1, 2, 4},
                      std::vector<double>{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,
                                          0.25,  0.5,   0.75, 1,    2.5,  5,    7.5,  10,
                                          20,    40,    80,   160,  640,  2560},
                      std::vector<double>{1e-300, 1, 1e300}, std::vector<double>{5e-324, 1.7e308},
                      std::vector<double>{1, 1.0000001, 1.0000002}));

class ExponentialTest : public testing::EncoderTest {
 protected:
  ExponentialTest() { use({.exponential = true}); }

  oracle::ExponentialHistogramPoint point(std::vector<uint64_t> counts, double sum) {
    add_latency(std::move(counts), sum);
    publish();
    const auto all = metrics();
    return all.at("llm.ttft").exponential_histogram().data_points(0);
  }
};

TEST_F(ExponentialTest, TotalsAreKeptAndCountsNeverFall) {
  const Time start = clock_.now();
  const auto first = point({3, 0, 2, 1}, 31.5);
  EXPECT_EQ(first.count(), 6U);
  EXPECT_EQ(first.sum(), 31.5);
  EXPECT_EQ(first.start_time_unix_nano(), nanoseconds(start));
  EXPECT_EQ(first.attributes_size(), 1);
  const auto second = point({3, 4, 200, 1}, 44);
  EXPECT_EQ(second.count(), 208U);
  EXPECT_EQ(second.scale(), first.scale());
  EXPECT_EQ(second.positive().offset(), first.positive().offset());
  const auto& before = first.positive().bucket_counts();
  const auto& after = second.positive().bucket_counts();
  ASSERT_EQ(after.size(), before.size());
  for (int i = 0; i < after.size(); ++i) EXPECT_GE(after.Get(i), before.Get(i));
  EXPECT_EQ(std::accumulate(after.begin(), after.end(), second.zero_count()), 208U);
}

TEST_F(ExponentialTest, DifferencesKeepTheLayout) {
  use({.delta = true, .exponential = true});
  add_latency({3, 0, 2, 1}, 31.5);
  publish();
  EXPECT_TRUE(metrics().empty());
  const auto change = point({3, 0, 2, 5}, 131.5);
  EXPECT_EQ(change.count(), 4U);
  EXPECT_EQ(change.sum(), 100);
  const auto& counts = change.positive().bucket_counts();
  EXPECT_EQ(counts.Get(counts.size() - 1), 4U);
}

TEST_F(ExponentialTest, ASeriesThatEndsIsToldOf) {
  point({3, 0, 2, 1}, 31.5);
  clock_.advance(std::chrono::seconds{10});
  publish();
  const auto all = metrics();
  const auto& ended = all.at("llm.ttft").exponential_histogram().data_points(0);
  EXPECT_EQ(ended.flags(), 1U);
  EXPECT_EQ(ended.attributes_size(), 1);
}

}  // namespace
}  // namespace warpsight::otlp
