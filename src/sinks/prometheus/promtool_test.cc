// promtool's opinion of our names.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "sinks/prometheus/page.h"

namespace warpsight {
namespace {

constexpr const char* kPromtool = "/usr/bin/promtool";
constexpr double kBounds[] = {0.5, 1};
constexpr uint64_t kCounts[] = {1, 2, 1};

// Some names are other people's, and promtool would not have chosen them. Of our own it may find
// nothing.
struct Allowed {
  std::string_view metric;
  std::string_view reason;
};
constexpr Allowed kAllowed[] = {
    {"gpu_count", "alias of gpu_devices, known from other agents; ends like a histogram's count"},
    {"gpu_row_remap_count", "alias of gpu_row_remap_rows, for the same reason"},
    {"nccl_collective_duration_ms", "its eBPF exporter's own name, unit and all"},
    {"nccl_collective_barrier_wait_ms", "for the same reason"},
};

bool is_allowed(const std::string& finding) {
  return std::ranges::any_of(kAllowed, [&](const Allowed& allowed) {
    return finding.starts_with(std::string(allowed.metric) + " ");
  });
}

// A page on which every metric of the catalogue has a series.
std::string full_page(bool aliases) {
  const ManualClock clock;
  EntityTable entities;
  Registry registry(entities);
  const EntityId gpu = entities.intern(
      EntityKind::gpu, kNoEntity,
      {{"gpu.index", "0"}, {"gpu.uuid", "GPU-1"}, {"gpu.model", "NVIDIA \"H100\"\n"}});
  Batch batch;
  batch.begin(clock.now(), std::chrono::seconds{1});
  for (const MetricRow& row : catalogue()) {
    if (row.kind == MetricKind::histogram) {
      batch.add_histogram(row.id, gpu, kBounds, kCounts, 3.5);
    } else {
      batch.add(row.id, gpu, 1.5);
    }
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

class Promtool : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access(kPromtool, X_OK) != 0) {
      GTEST_SKIP() << "no " << kPromtool << ": apt-get install prometheus";
    }
  }
};

TEST_F(Promtool, FindsNothingUnexpectedWithOrWithoutAliases) {
  for (const bool aliases : {false, true}) {
    std::istringstream findings(check_metrics(full_page(aliases)));
    for (std::string line; std::getline(findings, line);) EXPECT_TRUE(is_allowed(line)) << line;
  }
}

TEST_F(Promtool, WouldSayWhatIsWrong) {
  EXPECT_NE(check_metrics("# TYPE x counter\nx 1\n"), "");
  EXPECT_NE(check_metrics("x{ 1\n"), "");
}

}  // namespace
}  // namespace warpsight
