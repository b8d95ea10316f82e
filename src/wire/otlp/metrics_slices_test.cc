#include "wire/otlp/metrics_slices.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>

#include "wire/otlp/encoder_for_test.h"

namespace warpsight::otlp {
namespace {

namespace oracle = testing::oracle;
using google::protobuf::util::MessageDifferencer;

class MetricsSlicesTest : public testing::EncoderTest {
 protected:
  static constexpr int kGpus = 5;

  std::string request() {
    for (int i = 0; i < kGpus; ++i) {
      const EntityId gpu =
          entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", std::to_string(i)}});
      batch_.add(Metric::gpu_power_draw, gpu, i);
      batch_.add(Metric::gpu_busy_time, gpu, i);
    }
    add_latency({3, 0, 2, 1}, 31.5);
    publish();
    return requests().at(0);
  }
  static constexpr size_t kPoints = 2 * kGpus + 1;
};

TEST_F(MetricsSlicesTest, TheWholeIsTheRequestItself) {
  const std::string bytes = request();
  const auto slices = MetricsSlices::of(bytes);
  ASSERT_TRUE(slices);
  ASSERT_EQ(slices->points(), kPoints);
  EXPECT_EQ(slices->slice(0, kPoints), bytes);
}

TEST_F(MetricsSlicesTest, SlicesHoldEachPointOnceInItsMetric) {
  const std::string bytes = request();
  const auto slices = MetricsSlices::of(bytes);
  ASSERT_TRUE(slices);
  for (const size_t width : {size_t{1}, size_t{3}, kPoints / 2}) {
    std::string together;
    for (size_t at = 0; at < kPoints; at += width) {
      together += slices->slice(at, std::min(at + width, kPoints));
    }
    // Requests one after the other are one request to protobuf: their lists are joined.
    oracle::MetricsRequest joined;
    ASSERT_TRUE(joined.ParseFromString(together));
    oracle::MetricsRequest whole;
    ASSERT_TRUE(whole.ParseFromString(bytes));
    size_t points = 0;
    for (const oracle::ResourceMetrics& part : joined.resource_metrics()) {
      EXPECT_TRUE(
          MessageDifferencer::Equals(part.resource(), whole.resource_metrics(0).resource()));
      for (const oracle::Metric& metric : part.scope_metrics(0).metrics()) {
        const auto& all = whole.resource_metrics(0).scope_metrics(0).metrics();
        const auto original = std::ranges::find(all, metric.name(), &oracle::Metric::name);
        ASSERT_NE(original, all.end());
        EXPECT_EQ(metric.unit(), original->unit());
        EXPECT_EQ(metric.data_case(), original->data_case());
        EXPECT_EQ(metric.sum().is_monotonic(), original->sum().is_monotonic());
        EXPECT_EQ(metric.sum().aggregation_temporality(),
                  original->sum().aggregation_temporality());
        points += static_cast<size_t>(metric.gauge().data_points_size() +
                                      metric.sum().data_points_size() +
                                      metric.histogram().data_points_size());
      }
    }
    EXPECT_EQ(points, kPoints);
  }
}

TEST_F(MetricsSlicesTest, WhatIsNotSuchARequestIsLeftAlone) {
  const std::string bytes = request();
  EXPECT_FALSE(MetricsSlices::of(""));
  EXPECT_FALSE(MetricsSlices::of("not protobuf"));
  EXPECT_FALSE(MetricsSlices::of(bytes + bytes)) << "two resources";
  EXPECT_FALSE(MetricsSlices::of(std::string_view(bytes).substr(0, bytes.size() - 1)));
}

}  // namespace
}  // namespace warpsight::otlp
