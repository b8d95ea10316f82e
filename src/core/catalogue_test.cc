#include "core/catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warpsight {
namespace {

TEST(Catalogue, EveryRowSaysWhatItMeansAndWhoWritesIt) {
  for (const MetricRow& metric : catalogue()) {
    EXPECT_FALSE(metric.meaning.empty()) << metric.name;
    EXPECT_FALSE(metric.writers.empty()) << metric.name;
    EXPECT_FALSE(metric.meaning.ends_with('.')) << metric.name;
  }
}

TEST(Catalogue, NamesAndAliasesAreUnique) {
  std::set<std::string_view> names;
  for (const MetricRow& metric : catalogue()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  }
  for (const MetricRow& metric : catalogue()) {
    for_each_token(metric.aliases, ' ', [&](std::string_view alias) {
      EXPECT_TRUE(names.insert(alias).second) << alias;
    });
  }
}

TEST(Catalogue, RowsAreFoundByIdAndByName) {
  EXPECT_EQ(row(Metric::gpu_power_draw).name, "gpu.power.draw");
  EXPECT_EQ(find_metric("gpu.power.draw"), Metric::gpu_power_draw);
  EXPECT_EQ(find_metric("gpu.power"), std::nullopt);
}

TEST(Catalogue, AnAddedRowIsAsGoodAsABuiltInOne) {
  const AddedRow spec{.name = "test.catalogue.tokens",
                      .kind = MetricKind::counter,
                      .unit = "{token}",
                      .writers = "scrape",
                      .attributes = "model.name",
                      .meaning = "tokens"};
  const auto added = add_metric(spec);
  ASSERT_TRUE(added);
  EXPECT_LT(static_cast<size_t>(*added), metric_count());
  EXPECT_GE(static_cast<size_t>(*added), catalogue().size());
  EXPECT_EQ(row(*added).name, spec.name);
  EXPECT_EQ(row(*added).kind, MetricKind::counter);
  EXPECT_EQ(row(*added).unit, "{token}");
  EXPECT_EQ(find_metric(spec.name), added);
  EXPECT_EQ(add_metric(spec), added) << "the same again is the same";
}

TEST(Catalogue, ANameStandsForOneKindAndUnit) {
  ASSERT_TRUE(add_metric({.name = "test.catalogue.once",
                          .kind = MetricKind::gauge,
                          .unit = "s",
                          .writers = "scrape",
                          .attributes = {},
                          .meaning = "m"}));
  EXPECT_FALSE(add_metric({.name = "test.catalogue.once",
                           .kind = MetricKind::counter,
                           .unit = "s",
                           .writers = "scrape",
                           .attributes = {},
                           .meaning = "m"}));
  EXPECT_FALSE(add_metric({.name = "gpu.power.draw",
                           .kind = MetricKind::gauge,
                           .unit = "mW",
                           .writers = "scrape",
                           .attributes = {},
                           .meaning = "m"}));
  EXPECT_EQ(add_metric({.name = "gpu.power.draw",
                        .kind = MetricKind::gauge,
                        .unit = "W",
                        .writers = "scrape",
                        .attributes = {},
                        .meaning = "m"}),
            Metric::gpu_power_draw);
}

TEST(Catalogue, TheFirstWriterWins) {
  const MetricRow& power = row(Metric::gpu_power_draw);
  EXPECT_LT(writer_rank(power, "nvml"), writer_rank(power, "dcgm"));
  EXPECT_LT(writer_rank(power, "dcgm"), writer_rank(power, "somebody"));
}

TEST(Catalogue, OnlyAttributesWithOneValueAreConstant) {
  std::string found;
  const auto collect = [&](std::string_view key, std::string_view value) {
    found.append(key).append("=").append(value);
  };
  for_each_constant_attribute(row(Metric::gpu_utilization), collect);
  EXPECT_EQ(found, "gpu.task.type=compute");
  found.clear();
  for_each_constant_attribute(row(Metric::gpu_clock_frequency), collect);
  EXPECT_EQ(found, "");
}

}  // namespace
}  // namespace warpsight
