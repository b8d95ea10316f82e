#include "wire/prometheus_name.h"

#include <gtest/gtest.h>

#include <map>

namespace warpsight {
namespace {

std::string sample(std::string_view name, std::string_view unit,
                   MetricKind kind = MetricKind::gauge) {
  return prometheus_name(name, unit, kind).sample;
}

TEST(PrometheusName, DotsBecomeUnderscoresAndUnitsBecomeWords) {
  EXPECT_EQ(sample("gpu.memory.used", "By"), "gpu_memory_used_bytes");
  EXPECT_EQ(sample("gpu.temperature", "Cel"), "gpu_temperature_celsius");
  EXPECT_EQ(sample("gpu.power.draw", "W"), "gpu_power_draw_watts");
  EXPECT_EQ(sample("gpu.clock.frequency", "Hz"), "gpu_clock_frequency_hertz");
  EXPECT_EQ(sample("system.uptime", "s"), "system_uptime_seconds");
}

TEST(PrometheusName, RatesSayPer) {
  EXPECT_EQ(sample("gpu.pcie.throughput", "By/s"), "gpu_pcie_throughput_bytes_per_second");
  EXPECT_EQ(sample("gpu.ecc.sbe_rate", "{error}/h"), "gpu_ecc_sbe_rate_per_hour");
  EXPECT_EQ(sample("gpu.thermal.ramp_rate", "Cel/min"), "gpu_thermal_ramp_rate_celsius_per_minute");
  EXPECT_EQ(sample("gpu.energy.co2_intensity", "g/kW.h"),
            "gpu_energy_co2_intensity_grams_per_kilowatt_hour");
}

TEST(PrometheusName, GaugesOfUnitOneAreRatiosAndCountersAreNot) {
  EXPECT_EQ(sample("gpu.utilization", "1"), "gpu_utilization_ratio");
  EXPECT_EQ(sample("hit.ratio.now", "1"), "hit_now_ratio");
  EXPECT_EQ(sample("things", "1", MetricKind::counter), "things_total");
  EXPECT_EQ(sample("things", "1", MetricKind::up_down_counter), "things");
}

TEST(PrometheusName, AUnitThatTheNameHasAlreadyIsNotRepeated) {
  EXPECT_EQ(sample("gpu.memory.used.percent", "%"), "gpu_memory_used_percent");
  EXPECT_EQ(sample("gpu.efficiency.joules_per_token", "J/{token}"),
            "gpu_efficiency_joules_per_token");
  EXPECT_EQ(sample("gpu.efficiency.tokens_per_joule", "{token}/J"),
            "gpu_efficiency_tokens_per_joule");
  EXPECT_EQ(sample("gpu.cost.per_gpu_hour", "{USD}/h"), "gpu_cost_per_gpu_hour");
  EXPECT_EQ(sample("gpu.memory.total.bytes", "By"), "gpu_memory_total_bytes");
}

TEST(PrometheusName, AnnotationsSayNothing) {
  EXPECT_EQ(sample("gpu.row_remap.rows", "{row}"), "gpu_row_remap_rows");
  EXPECT_EQ(sample("disk.io", "By{written}"), "disk_io_bytes");
}

TEST(PrometheusName, CountersEndInTotalWhereverTheWordWas) {
  EXPECT_EQ(sample("gpu.busy.time", "s", MetricKind::counter), "gpu_busy_time_seconds_total");
  EXPECT_EQ(sample("gpu.cost.total", "{USD}", MetricKind::counter), "gpu_cost_total");
  EXPECT_EQ(sample("total.errors", "{error}", MetricKind::counter), "errors_total");
}

TEST(PrometheusName, OpenMetricsFamiliesHaveNoTypeSuffix) {
  const PrometheusName counter = prometheus_name("gpu.busy.time", "s", MetricKind::counter);
  EXPECT_EQ(counter.family, "gpu_busy_time_seconds");
  EXPECT_EQ(counter.unit, "seconds");
  const PrometheusName info = prometheus_name("gpu.info", "", MetricKind::info);
  EXPECT_EQ(info.sample, "gpu_info");
  EXPECT_EQ(info.family, "gpu");
  EXPECT_EQ(prometheus_name("warpsight.build", "", MetricKind::info).sample,
            "warpsight_build_info");
}

TEST(PrometheusName, TheUnitIsStatedOnlyWhereTheFamilyEndsWithIt) {
  EXPECT_EQ(prometheus_name("gpu.utilization", "1", MetricKind::gauge).unit, "ratio");
  EXPECT_EQ(prometheus_name("pcie.rate", "By/s", MetricKind::gauge).unit, "bytes_per_second");
  EXPECT_EQ(prometheus_name("joules_per_token", "J/{token}", MetricKind::gauge).unit, "");
  EXPECT_EQ(prometheus_name("gpu.devices", "{gpu}", MetricKind::gauge).unit, "");
}

TEST(PrometheusName, OddCharactersCollapseAndDigitsGetCompany) {
  EXPECT_EQ(sample("a..b--c", ""), "a_b_c");
  EXPECT_EQ(sample(".a.", ""), "a");
  EXPECT_EQ(sample("3d.engine", ""), "_3d_engine");
  EXPECT_EQ(prometheus_label("gpu.mig.instance_id"), "gpu_mig_instance_id");
  EXPECT_EQ(prometheus_label("4th"), "key_4th");
  EXPECT_EQ(prometheus_label("a/b c"), "a_b_c");
}

TEST(PrometheusName, NoTwoMetricsOfTheCatalogueShareAName) {
  std::map<std::string, std::string_view> seen;
  for (const MetricRow& metric : catalogue()) {
    const PrometheusName name = prometheus_name(metric.name, metric.unit, metric.kind);
    const auto [known, fresh] = seen.emplace(name.family, metric.name);
    EXPECT_TRUE(fresh) << metric.name << " and " << known->second << " are both " << name.family;
  }
}

}  // namespace
}  // namespace warpsight
