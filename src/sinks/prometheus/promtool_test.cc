// promtool's opinion of our names.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "sinks/prometheus/page.h"

namespace warpsight {
namespace {

constexpr const char* kPromtool = "/usr/bin/promtool";

// Findings that are the contract's names, not mistakes.
struct Allowed {
  std::string_view metric;
  std::string_view reason;
};
constexpr Allowed kAllowed[] = {
    {"gpu_memory_used_percent", "the one 0..100 value, kept for dashboards of others"},
};

bool is_allowed(const std::string& finding) {
  for (const Allowed& allowed : kAllowed) {
    if (finding.starts_with(std::string(allowed.metric) + " ")) return true;
  }
  return finding.empty();
}

// A page on which every metric of the catalogue has a series.
std::string full_page(bool aliases) {
  ManualClock clock;
  EntityTable entities;
  Registry registry(entities);
  const EntityId gpu = entities.intern(
      EntityKind::gpu, kNoEntity,
      {{"gpu.index", "0"}, {"gpu.uuid", "GPU-1"}, {"gpu.model", "NVIDIA \"H100\"\n"}});
  Batch batch;
  batch.begin(clock.now(), std::chrono::seconds{1});
  for (const MetricRow& row : catalogue()) {
    if (row.kind != MetricKind::histogram) batch.add(row.id, gpu, 1.5);
  }
  registry.apply(registry.add_source("nvml"), batch, clock.now());
  registry.publish(clock.now(), {});
  const std::vector<Attribute> resource = {{"host.name", "node1"}, {"simulated", "true"}};
  Options options = Options::defaults(prometheus_page_options());
  EXPECT_TRUE(options.set("aliases", aliases ? "true" : "false"));
  PrometheusPage page(entities, resource, options);
  std::string out;
  registry.read([&](const Snapshot& snapshot) { page.render(snapshot, PageFormat::classic, out); });
  return out;
}

std::string check_metrics(const std::string& page) {
  char name[] = "/tmp/warpsight-promtool-XXXXXX";
  ::close(::mkstemp(name));
  std::ofstream(name) << page;
  const std::string command = std::string(kPromtool) + " check metrics < " + name + " 2>&1";
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  char chunk[4096];
  for (size_t n = 0; (n = ::fread(chunk, 1, sizeof chunk, pipe)) > 0;) out.append(chunk, n);
  ::pclose(pipe);
  ::unlink(name);
  return out;
}

TEST(Promtool, FindsNothingWrongWithOurNames) {
  if (::access(kPromtool, X_OK) != 0) {
    GTEST_SKIP() << "no " << kPromtool << ": apt-get install prometheus";
  }
  std::istringstream findings(check_metrics(full_page(false)));
  for (std::string line; std::getline(findings, line);) {
    EXPECT_TRUE(is_allowed(line)) << line;
  }
}

TEST(Promtool, ReadsAPageWithAliases) {
  if (::access(kPromtool, X_OK) != 0) {
    GTEST_SKIP() << "no " << kPromtool << ": apt-get install prometheus";
  }
  EXPECT_EQ(check_metrics(full_page(true)).find("error while linting"), std::string::npos);
}

}  // namespace
}  // namespace warpsight
