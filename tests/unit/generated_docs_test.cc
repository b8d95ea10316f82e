// Documents that are generated say what the binary says.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "alerts/promql.h"
#include "analysis/xid_codes.h"
#include "app/config_schema.h"
#include "app/metrics_reference.h"
#include "app/setup.h"
#include "tests/places.h"

namespace warpsight {
namespace {

std::string document(const std::string& name) {
  std::ifstream file(std::string(WARPSIGHT_SOURCE_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(GeneratedDocs, MetricsAreUpToDate) {
  EXPECT_TRUE(document("docs/metrics.md") == metrics_markdown())
      << "docs/metrics.md is stale; run: build/warpsight metrics --markdown > docs/metrics.md";
}

TEST(GeneratedDocs, ConfigurationIsUpToDate) {
  EXPECT_TRUE(document("docs/configuration.md") == reference(config_schema()))
      << "docs/configuration.md is stale; run: "
         "build/warpsight check-config --markdown > docs/configuration.md";
}

TEST(GeneratedDocs, PrometheusRulesAreUpToDate) {
  EXPECT_TRUE(document("deploy/prometheus/warpsight.rules.yml") ==
              alerts::prometheus_rules(alerts::builtin_rules(), std::chrono::seconds{10}))
      << "deploy/prometheus/warpsight.rules.yml is stale; run: "
         "build/warpsight rules --prometheus > deploy/prometheus/warpsight.rules.yml";
}

TEST(GeneratedDocs, XidsAreUpToDate) {
  EXPECT_TRUE(document("docs/xids.md") == xid_markdown())
      << "docs/xids.md is stale; run: build/warpsight metrics --xids > docs/xids.md";
}

}  // namespace
}  // namespace warpsight
