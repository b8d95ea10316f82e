#include "sources/engines/pages/histogram_assembly.h"

#include <gmock/gmock.h>

#include <cmath>

namespace warpsight::engines {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> counts_of(std::vector<double> values) {
  std::vector<SeriesId> ids(values.size());
  for (SeriesId id = 0; id < ids.size(); ++id) ids[id] = id;
  const SeriesId total = ids.back();
  ids.pop_back();
  std::vector<uint64_t> counts(values.size(), 100);
  const bool good = add_buckets(ids, total, values, counts);
  EXPECT_TRUE(good || std::ranges::count(counts, 100U) == std::ssize(counts)) << "left as it was";
  return good ? counts : std::vector<uint64_t>{};
}

TEST(HistogramAssembly, AddsWhatIsInEachBucketAlone) {
  EXPECT_THAT(counts_of({1, 1, 4, 9}), ElementsAre(101, 100, 103, 105));
  EXPECT_THAT(counts_of({7}), ElementsAre(107));
}

TEST(HistogramAssembly, RefusesWhatNoHistogramCanSay) {
  EXPECT_THAT(counts_of({1, 3, 2}), ElementsAre());
  EXPECT_THAT(counts_of({4, 3}), ElementsAre());
  EXPECT_THAT(counts_of({NAN, 3}), ElementsAre());
  EXPECT_THAT(counts_of({1, NAN}), ElementsAre());
  EXPECT_THAT(counts_of({-1, 3}), ElementsAre());
  EXPECT_THAT(counts_of({1, INFINITY}), ElementsAre());
}

TEST(HistogramAssembly, BoundsThatAreNoneAfterScalingAreRefused) {
  const auto parts_with = [](double low, double high, double scale) {
    const Binding all[] = {{.series = 0,
                            .slot = 0,
                            .group = 0,
                            .rule = 0,
                            .candidate = 0,
                            .part = Part::bucket,
                            .number = low},
                           {.series = 1,
                            .slot = 0,
                            .group = 0,
                            .rule = 0,
                            .candidate = 0,
                            .part = Part::bucket,
                            .number = high},
                           {.series = 2,
                            .slot = 0,
                            .group = 0,
                            .rule = 0,
                            .candidate = 0,
                            .part = Part::sum,
                            .number = 0},
                           {.series = 3,
                            .slot = 0,
                            .group = 0,
                            .rule = 0,
                            .candidate = 0,
                            .part = Part::count,
                            .number = 0}};
    const Binding* group[] = {&all[0], &all[1], &all[2], &all[3]};
    return find_parts(group, scale);
  };
  ASSERT_TRUE(parts_with(1, 2, 0.5).has_value());
  EXPECT_THAT(parts_with(1, 2, 0.5)->bounds, ElementsAre(0.5, 1));
  EXPECT_FALSE(parts_with(1, 1e308, 10).has_value()) << "infinite";
  EXPECT_FALSE(parts_with(1e-320, 2e-320, 1e-10).has_value()) << "the same";
}

}  // namespace
}  // namespace warpsight::engines
