#include "core/histogram_quantile.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpsight {
namespace {

const std::vector<double> kBounds = {1, 2, 4};

TEST(HistogramQuantile, IsLinearInsideABucket) {
  const std::vector<uint64_t> counts = {10, 10, 20, 0};
  EXPECT_DOUBLE_EQ(*histogram_quantile(kBounds, counts, 0.125), 0.5);
  EXPECT_DOUBLE_EQ(*histogram_quantile(kBounds, counts, 0.5), 2);
  EXPECT_DOUBLE_EQ(*histogram_quantile(kBounds, counts, 0.75), 3);
  EXPECT_DOUBLE_EQ(*histogram_quantile(kBounds, counts, 1), 4);
}

TEST(HistogramQuantile, SkipsEmptyBuckets) {
  const std::vector<uint64_t> counts = {0, 0, 4, 0};
  EXPECT_DOUBLE_EQ(*histogram_quantile(kBounds, counts, 0), 2);
  EXPECT_DOUBLE_EQ(*histogram_quantile(kBounds, counts, 0.5), 3);
}

TEST(HistogramQuantile, AboveTheLastBoundKnowsNoMoreThanThat) {
  const std::vector<uint64_t> counts = {1, 0, 0, 99};
  EXPECT_DOUBLE_EQ(*histogram_quantile(kBounds, counts, 0.99), 4);
}

TEST(HistogramQuantile, OfNothingIsNothing) {
  const std::vector<uint64_t> none = {0, 0, 0, 0};
  EXPECT_FALSE(histogram_quantile(kBounds, none, 0.5));
  const std::vector<uint64_t> unbounded = {5};
  EXPECT_FALSE(histogram_quantile({}, unbounded, 0.5));
}

}  // namespace
}  // namespace warpsight
