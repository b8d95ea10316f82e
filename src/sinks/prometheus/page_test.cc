#include "sinks/prometheus/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "../tests/unit/allocation_counter.h"
#include "sinks/aliases.h"

namespace warpsight {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PageTest : public ::testing::Test {
 protected:
  EntityId gpu(std::string_view index) {
    return entities_.intern(
        EntityKind::gpu, kNoEntity,
        {{"gpu.index", index}, {"gpu.uuid", "GPU-1"}, {".pci", "0000:06:00.0"}});
  }

  void add(Metric metric, EntityId entity, double value) { batch_.add(metric, entity, value); }

  void publish() {
    clock_.advance(std::chrono::seconds{1});
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
  }

  void begin() { batch_.begin(clock_.now(), std::chrono::seconds{1}); }

  Options options(std::initializer_list<std::pair<std::string_view, std::string_view>> set) {
    Options options = Options::defaults(prometheus_page_options());
    for (const auto& [name, value] : set) EXPECT_TRUE(options.set(name, value));
    return options;
  }

  std::string render(PrometheusPage& page, PageFormat format = PageFormat::classic) {
    std::string out;
    registry_.read([&](const Snapshot& snapshot) { page.render(snapshot, format, out); });
    return out;
  }

  std::string render_with(std::initializer_list<std::pair<std::string_view, std::string_view>> set,
                          PageFormat format = PageFormat::classic,
                          std::span<const Attribute> resource = {}) {
    PrometheusPage page(entities_, resource, options(set));
    return render(page, format);
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  Batch batch_;
};

TEST_F(PageTest, AClassicPageHasHelpTypeLabelsAndValues) {
  begin();
  add(Metric::gpu_utilization, gpu("0"), 0.5);
  add(Metric::gpu_utilization, gpu("1"), 1);
  add(Metric::gpu_busy_time, gpu("0"), 1234567);
  publish();
  EXPECT_EQ(render_with({}),
            "# HELP gpu_utilization_ratio share of the publish interval in which a kernel ran; "
            "mean of the driver's samples\n"
            "# TYPE gpu_utilization_ratio gauge\n"
            "gpu_utilization_ratio{gpu_index=\"0\",gpu_uuid=\"GPU-1\",gpu_task_type=\"compute\"} "
            "0.5\n"
            "gpu_utilization_ratio{gpu_index=\"1\",gpu_uuid=\"GPU-1\",gpu_task_type=\"compute\"} "
            "1\n"
            "# HELP gpu_busy_time_seconds_total seconds in which a kernel ran; integral of the "
            "driver's own samples\n"
            "# TYPE gpu_busy_time_seconds_total counter\n"
            "gpu_busy_time_seconds_total{gpu_index=\"0\",gpu_uuid=\"GPU-1\"} 1234567\n");
}

TEST_F(PageTest, AnOpenMetricsPageNamesFamiliesAndUnitsAndEnds) {
  begin();
  add(Metric::gpu_busy_time, gpu("0"), 2);
  const EntityId info =
      entities_.intern(EntityKind::facet, gpu("0"), {{"gpu.driver.version", "550.1"}});
  add(Metric::gpu_info, info, 1);
  publish();
  const std::string page = render_with({}, PageFormat::open_metrics);
  EXPECT_THAT(page, HasSubstr("# TYPE gpu_busy_time_seconds counter\n"
                              "# UNIT gpu_busy_time_seconds seconds\n"
                              "gpu_busy_time_seconds_total{"));
  EXPECT_THAT(page, HasSubstr("# TYPE gpu info\ngpu_info{gpu_index=\"0\",gpu_uuid=\"GPU-1\","
                              "gpu_driver_version=\"550.1\"} 1\n"));
  EXPECT_THAT(page, EndsWith("\n# EOF\n"));
}

TEST_F(PageTest, LabelValuesAreEscapedAndPrivateAttributesStay) {
  const EntityId odd = entities_.intern(EntityKind::gpu, kNoEntity,
                                        {{"gpu.model", "a\"b\\c\nd\xff"}, {".pci", "x"}});
  begin();
  add(Metric::gpu_power_draw, odd, 70);
  publish();
  EXPECT_THAT(render_with({}),
              HasSubstr("gpu_power_draw_watts{gpu_model=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\"} 70\n"));
}

TEST_F(PageTest, AnAttributeOfTheThingItselfHidesItsParents) {
  const EntityId mig = entities_.intern(EntityKind::mig, gpu("0"), {{"gpu.uuid", "MIG-2"}});
  begin();
  add(Metric::gpu_memory_used, mig, 1);
  publish();
  EXPECT_THAT(render_with({}),
              HasSubstr("gpu_memory_used_bytes{gpu_index=\"0\",gpu_uuid=\"MIG-2\"} 1\n"));
}

TEST_F(PageTest, AttributesThatBecomeOneLabelAreJoined) {
  const EntityId twice =
      entities_.intern(EntityKind::host, kNoEntity, {{"a.b", "1"}, {"a_b", "2"}});
  begin();
  add(Metric::system_uptime, twice, 1);
  publish();
  EXPECT_THAT(render_with({}), HasSubstr("{a_b=\"1;2\"} 1\n"));
}

TEST_F(PageTest, ASeriesWithoutLabelsHasNoBraces) {
  begin();
  add(Metric::system_uptime, entities_.intern(EntityKind::host, kNoEntity, {}), 5);
  publish();
  EXPECT_THAT(render_with({}), HasSubstr("\nsystem_uptime_seconds 5\n"));
}

TEST_F(PageTest, TheResourceIsStatedOnceAndSimulationIsAnnounced) {
  const std::vector<Attribute> resource = {{"host.name", "node1"}, {"simulated", "true"}};
  begin();
  add(Metric::gpu_power_draw, gpu("0"), 70);
  publish();
  const std::string classic = render_with({}, PageFormat::classic, resource);
  EXPECT_THAT(classic, StartsWith("# SIMULATED"));
  EXPECT_THAT(classic, HasSubstr("# TYPE target_info gauge\n"
                                 "target_info{host_name=\"node1\",simulated=\"true\"} 1\n"));
  EXPECT_THAT(classic, HasSubstr("gpu_power_draw_watts{gpu_index=\"0\",gpu_uuid=\"GPU-1\"} 70"));
  const std::string open = render_with({}, PageFormat::open_metrics, resource);
  EXPECT_THAT(open, StartsWith("# HELP target "));
  EXPECT_THAT(open, HasSubstr("# TYPE target info\ntarget_info{"));
  EXPECT_THAT(open, Not(HasSubstr("# SIMULATED")));
}

TEST_F(PageTest, ASlotsNewTenantGetsItsOwnLabels) {
  PrometheusPage page(entities_, {}, options({}));
  const EntityId first = gpu("0");
  begin();
  add(Metric::gpu_power_draw, first, 70);
  publish();
  EXPECT_THAT(render(page), HasSubstr("gpu_index=\"0\""));
  begin();
  batch_.gone.push_back(first);
  publish();
  EXPECT_THAT(render(page), Not(HasSubstr("gpu_power_draw_watts")));
  begin();
  add(Metric::gpu_power_draw, gpu("7"), 71);
  publish();
  EXPECT_THAT(render(page), HasSubstr("gpu_index=\"7\""));
}

TEST_F(PageTest, ASeriesThatEndedSinceThePublishIsLeftOut) {
  const EntityId lost = gpu("0");
  begin();
  add(Metric::gpu_power_draw, lost, 70);
  add(Metric::gpu_power_draw, gpu("1"), 71);
  publish();
  batch_.gone.push_back(lost);
  registry_.apply(source_, batch_, clock_.now());
  const std::string page = render_with({});
  EXPECT_THAT(page, Not(HasSubstr("gpu_index=\"0\"")));
  EXPECT_THAT(page, HasSubstr("gpu_index=\"1\""));
}

TEST_F(PageTest, AliasesAreGivenOnRequestAndForTheFacetTheyMean) {
  const auto clock = [&](std::string_view type) {
    return entities_.intern(EntityKind::facet, gpu("0"), {{"gpu.clock.type", type}});
  };
  begin();
  add(Metric::gpu_power_draw, gpu("0"), 70);
  add(Metric::gpu_memory_used, gpu("0"), 1);
  add(Metric::gpu_clock_frequency, clock("sm"), 1.98e9);
  add(Metric::gpu_clock_frequency, clock("memory"), 2.6e9);
  publish();
  EXPECT_THAT(render_with({}), Not(HasSubstr("gpu_power_watts")));
  const std::string page = render_with({{"aliases", "true"}});
  EXPECT_THAT(page, HasSubstr("# TYPE gpu_power_watts gauge\ngpu_power_watts{gpu_index=\"0\""));
  EXPECT_THAT(page, HasSubstr("gpu_sm_clock_hertz{gpu_index=\"0\",gpu_uuid=\"GPU-1\","
                              "gpu_clock_type=\"sm\"} 1980000000\n"));
  EXPECT_THAT(page, Not(HasSubstr("gpu_sm_clock_hertz{gpu_index=\"0\",gpu_uuid=\"GPU-1\","
                                  "gpu_clock_type=\"memory\"}")));
  EXPECT_THAT(page, Not(HasSubstr("DCGM_")));
  // gpu.memory.used.bytes is, to Prometheus, the metric's own name.
  EXPECT_EQ(page.find("# TYPE gpu_memory_used_bytes"), page.rfind("# TYPE gpu_memory_used_bytes"));
}

TEST_F(PageTest, NoAliasTakesTheNameOfAnotherFamily) {
  std::set<std::string> names;
  for (const MetricRow& metric : catalogue()) {
    const PageFamily family = make_family(metric, true);
    EXPECT_TRUE(names.insert(family.sample_name).second) << family.sample_name;
    for (const PageFamily& alias : family.aliases) {
      EXPECT_TRUE(names.insert(alias.sample_name).second) << alias.sample_name;
    }
  }
}

TEST_F(PageTest, TimestampsAreOptional) {
  begin();
  add(Metric::gpu_power_draw, gpu("0"), 70);
  publish();
  EXPECT_THAT(render_with({{"timestamps", "true"}}), HasSubstr("} 70 1700000000000\n"));
  EXPECT_THAT(render_with({{"timestamps", "true"}}, PageFormat::open_metrics),
              HasSubstr("} 70 1700000000\n"));
}

class HistogramPageTest : public PageTest {
 protected:
  HistogramPageTest() { begin(); }
  void add(std::initializer_list<double> bounds, std::initializer_list<uint64_t> counts,
           double sum) {
    batch_.add_histogram(Metric::warpsight_sink_duration, otlp_, bounds, counts, sum,
                         Time{std::chrono::milliseconds{1'699'999'000'500}});
  }
  EntityId otlp_ = entities_.intern(EntityKind::facet, kNoEntity, {{"sink", "otlp"}});
};

TEST_F(HistogramPageTest, BucketsAreCumulativeAndEndWithInf) {
  add({0.005, 1, 2.5e20}, {3, 0, 2, 1}, 17.25);
  publish();
  const std::string lines =
      "warpsight_sink_duration_seconds_bucket{sink=\"otlp\",le=\"0.005\"} 3\n"
      "warpsight_sink_duration_seconds_bucket{sink=\"otlp\",le=\"1.0\"} 3\n"
      "warpsight_sink_duration_seconds_bucket{sink=\"otlp\",le=\"2.5e+20\"} 5\n"
      "warpsight_sink_duration_seconds_bucket{sink=\"otlp\",le=\"+Inf\"} 6\n"
      "warpsight_sink_duration_seconds_sum{sink=\"otlp\"} 17.25\n"
      "warpsight_sink_duration_seconds_count{sink=\"otlp\"} 6\n";
  EXPECT_THAT(render_with({{"aliases", "true"}}),
              EndsWith("# TYPE warpsight_sink_duration_seconds histogram\n" + lines));
  EXPECT_THAT(render_with({}, PageFormat::open_metrics),
              EndsWith("# TYPE warpsight_sink_duration_seconds histogram\n"
                       "# UNIT warpsight_sink_duration_seconds seconds\n" +
                       lines + "# EOF\n"));
}

TEST_F(HistogramPageTest, WithoutLabelsThereIsOnlyTheBound) {
  otlp_ = entities_.intern(EntityKind::facet, kNoEntity, {});
  add({1}, {1, 1}, 3);
  publish();
  EXPECT_THAT(render_with({{"timestamps", "true"}}),
              EndsWith("warpsight_sink_duration_seconds_bucket{le=\"1.0\"} 1 1700000000000\n"
                       "warpsight_sink_duration_seconds_bucket{le=\"+Inf\"} 2 1700000000000\n"
                       "warpsight_sink_duration_seconds_sum 3 1700000000000\n"
                       "warpsight_sink_duration_seconds_count 2 1700000000000\n"));
}

TEST_F(HistogramPageTest, NewBoundsGetNewLines) {
  PrometheusPage page(entities_, {}, options({}));
  add({1}, {1, 1}, 3);
  publish();
  EXPECT_THAT(render(page), HasSubstr("le=\"1.0\""));
  begin();
  add({2, 4}, {1, 1, 0}, 3);
  publish();
  const std::string after = render(page);
  EXPECT_THAT(after, Not(HasSubstr("le=\"1.0\"")));
  EXPECT_THAT(after, HasSubstr("le=\"4.0\"} 2\n"));
}

TEST_F(HistogramPageTest, StartsAreGivenOnRequestAndInOpenMetricsAlone) {
  add({1}, {1, 1}, 3);
  PageTest::add(Metric::gpu_busy_time, gpu("0"), 2);
  PageTest::add(Metric::gpu_power_draw, gpu("0"), 70);
  publish();
  const std::string page = render_with({{"created", "true"}}, PageFormat::open_metrics);
  EXPECT_THAT(page, HasSubstr("warpsight_sink_duration_seconds_count{sink=\"otlp\"} 2\n"
                              "warpsight_sink_duration_seconds_created{sink=\"otlp\"} "
                              "1699999000.5\n"));
  EXPECT_THAT(page, HasSubstr("gpu_busy_time_seconds_total{gpu_index=\"0\",gpu_uuid=\"GPU-1\"} 2\n"
                              "gpu_busy_time_seconds_created{gpu_index=\"0\",gpu_uuid=\"GPU-1\"} "
                              "1700000000\n"));
  EXPECT_THAT(page, Not(HasSubstr("gpu_power_draw_watts_created")));
  EXPECT_THAT(render_with({}, PageFormat::open_metrics), Not(HasSubstr("_created")));
  EXPECT_THAT(render_with({{"created", "true"}}), Not(HasSubstr("_created")));
}

TEST_F(PageTest, ASteadyPageAllocatesNothing) {
  PrometheusPage page(entities_, {}, options({{"aliases", "true"}, {"compat", "dcgm"}}));
  std::string out;
  const auto tick = [&](double value) {
    begin();
    for (const char* index : {"0", "1", "2", "3"}) {
      add(Metric::gpu_power_draw, gpu(index), value);
      add(Metric::gpu_utilization, gpu(index), value / 1000);
      add(Metric::gpu_xid_last_error_code, gpu(index), 0);
      batch_.add_histogram(Metric::warpsight_sink_duration, gpu(index), std::vector<double>{1},
                           std::vector<uint64_t>{1, 2}, value);
    }
    publish();
    for (const PageFormat format : {PageFormat::classic, PageFormat::open_metrics}) {
      registry_.read([&](const Snapshot& snapshot) { page.render(snapshot, format, out); });
    }
  };
  tick(71.123456789);
  tick(70.987654321);
  begin();
  add(Metric::gpu_power_draw, gpu("0"), 333.333333333);
  publish();
  const uint64_t before = test::allocations();
  registry_.read(
      [&](const Snapshot& snapshot) { page.render(snapshot, PageFormat::classic, out); });
  EXPECT_EQ(test::allocations(), before);
  EXPECT_THAT(out, HasSubstr("333.333333333"));
}

}  // namespace
}  // namespace warpsight
