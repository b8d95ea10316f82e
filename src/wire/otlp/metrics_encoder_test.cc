#include "wire/otlp/metrics_encoder.h"

#include <gmock/gmock.h>

#include "../tests/unit/allocation_counter.h"
#include "wire/otlp/encoder_for_test.h"

namespace warpsight::otlp {
namespace {

using testing::attributes;
using ::testing::ElementsAre;
using testing::EncoderTest;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
namespace oracle = testing::oracle;

class MetricsEncoderTest : public EncoderTest {};

TEST_F(MetricsEncoderTest, ARequestNamesItsResourceScopeAndSchema) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  publish();
  const oracle::MetricsRequest request = decoded();
  ASSERT_EQ(request.resource_metrics_size(), 1);
  const oracle::ResourceMetrics& resource = request.resource_metrics(0);
  EXPECT_THAT(attributes(resource.resource()), ElementsAre(Pair("host.name", "node1")));
  EXPECT_EQ(resource.schema_url(), "https://opentelemetry.io/schemas/1.37.0");
  ASSERT_EQ(resource.scope_metrics_size(), 1);
  EXPECT_EQ(resource.scope_metrics(0).scope().name(), "warpsight");
  EXPECT_EQ(resource.scope_metrics(0).scope().version(), "1.2.3");
  EXPECT_EQ(resource.scope_metrics(0).schema_url(), resource.schema_url());
}

TEST_F(MetricsEncoderTest, AGaugeHasTimeValueAndAttributes) {
  const Time time = clock_.now();
  batch_.add(Metric::gpu_utilization, gpu_, 0.25);
  publish();
  const auto all = metrics();
  ASSERT_TRUE(all.contains("gpu.utilization"));
  const oracle::Metric& metric = all.at("gpu.utilization");
  EXPECT_EQ(metric.unit(), "1");
  EXPECT_EQ(metric.description(), row(Metric::gpu_utilization).meaning);
  ASSERT_EQ(metric.gauge().data_points_size(), 1);
  const oracle::NumberPoint& point = metric.gauge().data_points(0);
  EXPECT_EQ(point.time_unix_nano(), nanoseconds(time));
  EXPECT_EQ(point.as_double(), 0.25);
  EXPECT_EQ(point.flags(), 0U);
  EXPECT_THAT(attributes(point),
              UnorderedElementsAre(Pair("gpu.index", "0"), Pair("gpu.task.type", "compute")));
}

TEST_F(MetricsEncoderTest, AZeroIsAValue) {
  batch_.add(Metric::gpu_power_draw, gpu_, 0);
  publish();
  const auto all = metrics();
  EXPECT_TRUE(all.at("gpu.power.draw").gauge().data_points(0).has_as_double());
}

TEST_F(MetricsEncoderTest, ACounterIsAMonotonicSumSinceItsStart) {
  const Time start = clock_.now();
  batch_.add(Metric::gpu_busy_time, gpu_, 10);
  publish();
  metrics();
  batch_.add(Metric::gpu_busy_time, gpu_, 11);
  publish();
  auto all = metrics();
  const oracle::Sum& sum = all.at("gpu.busy.time").sum();
  EXPECT_TRUE(sum.is_monotonic());
  EXPECT_EQ(sum.aggregation_temporality(), oracle::CUMULATIVE);
  EXPECT_EQ(sum.data_points(0).start_time_unix_nano(), nanoseconds(start));
  EXPECT_EQ(sum.data_points(0).as_double(), 11);

  const Time before_reset = clock_.now() - std::chrono::seconds{1};
  batch_.add(Metric::gpu_busy_time, gpu_, 2);
  publish();
  all = metrics();
  const oracle::NumberPoint& reset = all.at("gpu.busy.time").sum().data_points(0);
  EXPECT_EQ(reset.start_time_unix_nano(), nanoseconds(before_reset));
  EXPECT_EQ(reset.as_double(), 2);
}

TEST_F(MetricsEncoderTest, EveryKindOfTheCatalogueHasItsForm) {
  for (const MetricRow& row : catalogue()) {
    if (row.kind == MetricKind::histogram) {
      batch_.add_histogram(row.id, gpu_, kBounds, std::vector<uint64_t>{1, 0, 2, 0}, 7);
    } else {
      batch_.add(row.id, gpu_, 1);
    }
  }
  publish();
  const auto all = metrics();
  EXPECT_EQ(all.size(), catalogue().size());
  EXPECT_EQ(points_, catalogue().size());
  for (const MetricRow& row : catalogue()) {
    const oracle::Metric& metric = all.at(std::string(row.name));
    EXPECT_EQ(metric.unit(), row.unit) << row.name;
    switch (row.kind) {
      case MetricKind::gauge:
      case MetricKind::info: EXPECT_TRUE(metric.has_gauge()) << row.name; break;
      case MetricKind::histogram: EXPECT_TRUE(metric.has_histogram()) << row.name; break;
      case MetricKind::counter:
      case MetricKind::up_down_counter:
        EXPECT_TRUE(metric.has_sum()) << row.name;
        EXPECT_EQ(metric.sum().is_monotonic(), row.kind == MetricKind::counter) << row.name;
        EXPECT_EQ(metric.sum().aggregation_temporality(), oracle::CUMULATIVE) << row.name;
        break;
    }
  }
}

TEST_F(MetricsEncoderTest, AHistogramHasItsBucketsCountAndSum) {
  const Time start = clock_.now() - std::chrono::hours{1};
  add_latency({3, 0, 2, 1}, 31.5, start);
  publish();
  const auto all = metrics();
  const oracle::Histogram& histogram = all.at("llm.ttft").histogram();
  EXPECT_EQ(histogram.aggregation_temporality(), oracle::CUMULATIVE);
  const oracle::HistogramPoint& point = histogram.data_points(0);
  EXPECT_THAT(point.explicit_bounds(), ElementsAre(0.1, 1, 10));
  EXPECT_THAT(point.bucket_counts(), ElementsAre(3, 0, 2, 1));
  EXPECT_EQ(point.count(), 6U);
  EXPECT_EQ(point.sum(), 31.5);
  EXPECT_EQ(point.start_time_unix_nano(), nanoseconds(start));
  EXPECT_THAT(attributes(point), ElementsAre(Pair("gpu.index", "0")));
}

TEST_F(MetricsEncoderTest, AttributesNearerToTheValueWin) {
  const EntityId facet = entities_.intern(
      EntityKind::facet, gpu_,
      {{"gpu.index", "7"}, {"gpu.task.type", "from-the-entity"}, {"model", "bad\xffutf8"}});
  batch_.add(Metric::gpu_utilization, facet, 1);
  publish();
  const auto all = metrics();
  EXPECT_THAT(attributes(all.at("gpu.utilization").gauge().data_points(0)),
              UnorderedElementsAre(Pair("gpu.index", "7"), Pair("gpu.task.type", "compute"),
                                   Pair("model", "bad\xef\xbf\xbdutf8")));
}

TEST_F(MetricsEncoderTest, APointIsToldOnce) {
  batch_.begin(clock_.now(), std::chrono::seconds{60});
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  publish();
  EXPECT_EQ(metrics().size(), 1U);
  batch_.add(Metric::gpu_utilization, gpu_, 0.5);
  publish();
  const auto second = metrics();
  EXPECT_TRUE(second.contains("gpu.utilization"));
  EXPECT_FALSE(second.contains("gpu.power.draw"));
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(MetricsEncoderTest, ASeriesThatGoesStaleIsToldOfOnceAndMayReturn) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  publish();
  metrics();
  clock_.advance(std::chrono::seconds{10});
  publish();
  const Time ended = clock_.now();
  auto all = metrics();
  ASSERT_EQ(all.at("gpu.power.draw").gauge().data_points_size(), 1);
  const oracle::NumberPoint point = all.at("gpu.power.draw").gauge().data_points(0);
  EXPECT_EQ(point.flags(), 1U);
  EXPECT_EQ(point.value_case(), oracle::NumberPoint::VALUE_NOT_SET);
  EXPECT_EQ(point.time_unix_nano(), nanoseconds(ended));
  EXPECT_THAT(attributes(point), ElementsAre(Pair("gpu.index", "0")));
  publish();
  EXPECT_THAT(metrics(), IsEmpty());

  batch_.add(Metric::gpu_power_draw, gpu_, 71);
  publish();
  all = metrics();
  EXPECT_EQ(all.at("gpu.power.draw").gauge().data_points(0).as_double(), 71);
}

TEST_F(MetricsEncoderTest, ASeriesWhoseSlotHasANewTenantIsToldOfToo) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  batch_.add(Metric::llm_ttft, gpu_, 1);
  add_latency({1, 0, 0, 0}, 0.05);
  publish();
  metrics();
  batch_.gone.push_back(gpu_);
  registry_.apply(source_, batch_, clock_.now());
  const EntityId other = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "1"}});
  for (const Metric metric : {Metric::gpu_temperature, Metric::gpu_power_draw}) {
    batch_.add(metric, other, 5);
  }
  publish();
  const auto all = metrics();
  EXPECT_EQ(all.size(), 3U);
  const oracle::Gauge& power = all.at("gpu.power.draw").gauge();
  ASSERT_EQ(power.data_points_size(), 2);
  std::map<std::string, uint32_t> flags;
  for (const auto& point : power.data_points()) {
    flags[attributes(point).at("gpu.index")] = point.flags();
  }
  EXPECT_THAT(flags, ElementsAre(Pair("0", 1U), Pair("1", 0U)));
  const oracle::HistogramPoint& ended = all.at("llm.ttft").histogram().data_points(0);
  EXPECT_EQ(ended.flags(), 1U);
  EXPECT_THAT(attributes(ended), ElementsAre(Pair("gpu.index", "0")));
  EXPECT_EQ(all.at("gpu.temperature").gauge().data_points(0).as_double(), 5);
}

TEST_F(MetricsEncoderTest, WhatIsTooMuchForOneRequestMakesSeveral) {
  constexpr size_t kLimit = 2000;
  constexpr int kSeries = 100;
  use({}, kLimit);
  for (int i = 0; i < kSeries; ++i) {
    const EntityId gpu =
        entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", std::to_string(i)}});
    batch_.add(Metric::gpu_power_draw, gpu, i);
    batch_.add(Metric::gpu_busy_time, gpu, i);
  }
  publish();
  std::map<std::pair<std::string, std::string>, int> seen;
  const std::vector<std::string> all = requests();
  EXPECT_GT(all.size(), 3U);
  for (const std::string& bytes : all) {
    EXPECT_LE(bytes.size(), kLimit + 100);
    oracle::MetricsRequest request;
    ASSERT_TRUE(request.ParseFromString(bytes));
    for (const auto& metric : request.resource_metrics(0).scope_metrics(0).metrics()) {
      for (const auto& p : metric.gauge().data_points()) {
        ++seen[{metric.name(), attributes(p).at("gpu.index")}];
      }
      for (const auto& p : metric.sum().data_points()) {
        ++seen[{metric.name(), attributes(p).at("gpu.index")}];
      }
    }
  }
  EXPECT_EQ(seen.size(), size_t{2} * kSeries);
  for (const auto& [series, times] : seen) EXPECT_EQ(times, 1) << series.first << series.second;
  EXPECT_EQ(points_, 2U * kSeries);
}

// Bytes as the reference implementation writes them: no padded lengths, no doubled fields.
TEST_F(MetricsEncoderTest, TakesNoMoreBytesThanItMust) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  batch_.add(Metric::gpu_busy_time, gpu_, 70);
  add_latency({3, 0, 2, 1}, 31.5);
  publish();
  const std::vector<std::string> all = requests();
  oracle::MetricsRequest request;
  ASSERT_TRUE(request.ParseFromString(all.at(0)));
  EXPECT_EQ(all.at(0).size(), request.ByteSizeLong());
}

class SteadyTick : public EncoderTest, public ::testing::WithParamInterface<MetricsForm> {};

TEST_P(SteadyTick, AllocatesNothing) {
  use(GetParam());
  std::string out;
  double value = 1;
  uint64_t count = 1;
  const auto tick = [&] {
    batch_.add(Metric::gpu_busy_time, gpu_, value += 0.5);
    batch_.add(Metric::gpu_power_draw, gpu_, 70.5);
    const uint64_t counts[] = {++count, 0, count, 1};
    batch_.add_histogram(Metric::llm_ttft, gpu_, kBounds, counts, value);
    publish();
    out.clear();
    const uint64_t before = test::allocations();
    registry_.read([&](const Snapshot& snapshot) {
      const size_t requests = encoder_->take(snapshot);
      for (size_t i = 0; i < requests; ++i) encoder_->append_request(i, out);
    });
    return test::allocations() - before;
  };
  EXPECT_GT(tick(), 0U);
  tick();
  EXPECT_EQ(tick(), 0U);
  EXPECT_FALSE(out.empty());
}

INSTANTIATE_TEST_SUITE_P(Forms, SteadyTick,
                         ::testing::Values(MetricsForm{}, MetricsForm{.delta = true},
                                           MetricsForm{.exponential = true},
                                           MetricsForm{.delta = true, .exponential = true}));

}  // namespace
}  // namespace warpsight::otlp
