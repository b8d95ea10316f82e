#include "wire/otlp/delta.h"

#include <gmock/gmock.h>

#include <functional>

#include "wire/otlp/encoder_for_test.h"

namespace warpsight::otlp {
namespace {

using ::testing::ElementsAre;
using testing::EncoderTest;
namespace oracle = testing::oracle;

class DeltaTest : public EncoderTest {
 protected:
  DeltaTest() { use({.delta = true}); }

  void count(double value) {
    batch_.add(Metric::gpu_busy_time, gpu_, value);
    publish();
  }
};

TEST_F(DeltaTest, DifferencesAddUpToTheWhole) {
  count(100);
  EXPECT_TRUE(metrics().empty()) << "what was counted before anybody looked";
  double total = 0;
  Time before = clock_.now() - std::chrono::seconds{1};
  for (const double value : {101.0, 101.0, 104.5, 200.0}) {
    const Time time = clock_.now();
    count(value);
    const auto all = metrics();
    const oracle::Sum& sum = all.at("gpu.busy.time").sum();
    EXPECT_EQ(sum.aggregation_temporality(), oracle::DELTA);
    EXPECT_TRUE(sum.is_monotonic());
    EXPECT_EQ(sum.data_points(0).start_time_unix_nano(), nanoseconds(before));
    EXPECT_EQ(sum.data_points(0).time_unix_nano(), nanoseconds(time));
    before = time;
    total += sum.data_points(0).as_double();
  }
  EXPECT_EQ(total, 100);
}

TEST_F(DeltaTest, AfterAResetEverythingSinceTheNewStartCounts) {
  count(100);
  metrics();
  const Time before = clock_.now() - std::chrono::seconds{1};
  count(7);
  const auto all = metrics();
  const oracle::NumberPoint& point = all.at("gpu.busy.time").sum().data_points(0);
  EXPECT_EQ(point.as_double(), 7);
  EXPECT_EQ(point.start_time_unix_nano(), nanoseconds(before));
}

TEST_F(DeltaTest, ASumThatMayFallStaysWhole) {
  const auto rows = catalogue();
  const auto found = std::ranges::find(rows, MetricKind::up_down_counter, &MetricRow::kind);
  ASSERT_NE(found, rows.end());
  batch_.add(found->id, gpu_, 5);
  publish();
  const auto all = metrics();
  const oracle::Sum& sum = all.at(std::string(found->name)).sum();
  EXPECT_EQ(sum.aggregation_temporality(), oracle::CUMULATIVE);
  EXPECT_EQ(sum.data_points(0).as_double(), 5);
}

TEST_F(DeltaTest, HistogramsAreToldAsDifferencesToo) {
  add_latency({3, 0, 2, 1}, 31.5);
  publish();
  EXPECT_TRUE(metrics().empty());
  const Time before = clock_.now() - std::chrono::seconds{1};
  add_latency({4, 1, 2, 1}, 32.5);
  publish();
  auto all = metrics();
  EXPECT_EQ(all.at("llm.ttft").histogram().aggregation_temporality(), oracle::DELTA);
  const oracle::HistogramPoint grown = all.at("llm.ttft").histogram().data_points(0);
  EXPECT_THAT(grown.bucket_counts(), ElementsAre(1, 1, 0, 0));
  EXPECT_EQ(grown.count(), 2U);
  EXPECT_EQ(grown.sum(), 1);
  EXPECT_EQ(grown.start_time_unix_nano(), nanoseconds(before));

  add_latency({9, 0, 0, 0}, 0.5);
  publish();
  all = metrics();
  const oracle::HistogramPoint reset = all.at("llm.ttft").histogram().data_points(0);
  EXPECT_THAT(reset.bucket_counts(), ElementsAre(9, 0, 0, 0));
  EXPECT_EQ(reset.sum(), 0.5);
}

}  // namespace
}  // namespace warpsight::otlp
