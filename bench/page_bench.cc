// What a page, a DCGM-compatible page and a tick of JSON lines cost for about 2,000 series: eight
// GPUs with everything the catalogue has for one, 18 links each, and a host. Where Debian's
// prometheus-cpp is installed its serializer writes the same samples for comparison.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sinks/json_lines.h"
#include "sinks/prometheus/page.h"
#include "wire/gzip.h"
#include "wire/prometheus_name.h"

#ifdef WARPSIGHT_HAVE_PROMETHEUS_CPP
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#endif

namespace warpsight {
namespace {

constexpr int kGpus = 8;
constexpr int kLinks = 18;

class Node {
 public:
  Node() {
    for (int i = 0; i < kGpus; ++i) add_gpu(i);
    tick(0);
  }

  // New values on every series, as a second of sampling brings them.
  void tick(int turn) {
    clock_.advance(std::chrono::seconds{1});
    batch_.begin(clock_.now(), std::chrono::seconds{1});
    int n = turn * 7919;
    for (const auto& [metric, entity] : series_) {
      ++n;
      // Half are whole numbers, half have all their digits, as on a real node.
      const double value = n % 2 == 0 ? 1e9 + n * 4096.0 : 0.1 + (n % 9973) / 9973.0;
      batch_.add(metric, entity, value);
    }
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
  }

  size_t samples() const {
    return registry_.read([](const Snapshot& snapshot) { return snapshot.samples.size(); });
  }

  const EntityTable& entities() const { return entities_; }
  const Registry& registry() const { return registry_; }

 private:
  void add_gpu(int index) {
    const std::string number = std::to_string(index);
    const std::string uuid = "GPU-3b2c1a00-5f1e-4c2d-9a77-0123456789a" + number;
    const EntityId gpu = entities_.intern(EntityKind::gpu, kNoEntity,
                                          {{"gpu.index", number},
                                           {"gpu.uuid", uuid},
                                           {"gpu.model", "NVIDIA H100 80GB HBM3"},
                                           {"gpu.vendor", "nvidia"},
                                           {".pci", "0000:0" + number + ":00.0"}});
    for (const MetricRow& row : catalogue()) {
      if (row.kind != MetricKind::histogram && row.name.starts_with("gpu.")) {
        series_.emplace_back(row.id, gpu);
      }
    }
    for (int link = 0; link < kLinks; ++link) {
      for (const char* direction : {"transmit", "receive"}) {
        const EntityId facet =
            entities_.intern(EntityKind::facet, gpu,
                             {{"gpu.interconnect.type", "nvlink"},
                              {"gpu.interconnect.direction", direction},
                              {"gpu.interconnect.link_index", std::to_string(link)}});
        series_.emplace_back(Metric::gpu_interconnect_io, facet);
        series_.emplace_back(Metric::gpu_interconnect_throughput, facet);
      }
      for (const char* error : {"crc_flit", "crc_data", "replay", "recovery"}) {
        series_.emplace_back(
            Metric::gpu_interconnect_errors,
            entities_.intern(EntityKind::facet, gpu,
                             {{"gpu.interconnect.type", "nvlink"},
                              {"gpu.interconnect.error", error},
                              {"gpu.interconnect.link_index", std::to_string(link)}}));
      }
    }
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  std::vector<std::pair<Metric, EntityId>> series_;
  Batch batch_;
};

void count_series(benchmark::State& state, const Node& node, size_t bytes) {
  state.counters["series"] = static_cast<double>(node.samples());
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["s_per_series"] = benchmark::Counter(
      static_cast<double>(node.samples()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void render_page(benchmark::State& state, PageFormat format, std::string_view compat) {
  Node node;
  Options options = Options::defaults(prometheus_page_options());
  if (!options.set("compat", compat)) state.SkipWithError("no such option");
  PrometheusPage page(node.entities(), {}, options);
  std::string out;
  int turn = 0;
  for (auto _ : state) {
    state.PauseTiming();
    node.tick(++turn);
    state.ResumeTiming();
    node.registry().read([&](const Snapshot& snapshot) { page.render(snapshot, format, out); });
    benchmark::DoNotOptimize(out.data());
  }
  count_series(state, node, out.size());
}

void classic_page(benchmark::State& state) { render_page(state, PageFormat::classic, "none"); }
void open_metrics_page(benchmark::State& state) {
  render_page(state, PageFormat::open_metrics, "none");
}
void dcgm_page(benchmark::State& state) { render_page(state, PageFormat::classic, "dcgm"); }
BENCHMARK(classic_page);
BENCHMARK(open_metrics_page);
BENCHMARK(dcgm_page);

void json_lines(benchmark::State& state) {
  Node node;
  JsonLines lines(node.entities(), {}, false);
  std::string out;
  int turn = 0;
  for (auto _ : state) {
    state.PauseTiming();
    node.tick(++turn);
    out.clear();
    state.ResumeTiming();
    node.registry().read([&](const Snapshot& snapshot) { lines.append(snapshot, out); });
    benchmark::DoNotOptimize(out.data());
  }
  count_series(state, node, out.size());
}
BENCHMARK(json_lines);

void gzip_of_the_page(benchmark::State& state) {
  const Node node;
  PrometheusPage page(node.entities(), {}, Options::defaults(prometheus_page_options()));
  std::string out;
  node.registry().read(
      [&](const Snapshot& snapshot) { page.render(snapshot, PageFormat::classic, out); });
  GzipEncoder gzip;
  std::string packed;
  for (auto _ : state) {
    gzip.encode(out, packed);
    benchmark::DoNotOptimize(packed.data());
  }
  count_series(state, node, packed.size());
}
BENCHMARK(gzip_of_the_page);

#ifdef WARPSIGHT_HAVE_PROMETHEUS_CPP
std::vector<prometheus::MetricFamily> families_of(const Node& node) {
  std::vector<prometheus::MetricFamily> families;
  node.registry().read([&](const Snapshot& snapshot) {
    for (const Sample& sample : snapshot.samples) {
      const Series* series = snapshot.series_of(sample);
      const MetricRow& metric = row(series->metric);
      const std::string name = prometheus_name(metric.name, metric.unit, metric.kind).sample;
      if (families.empty() || families.back().name != name) {
        families.push_back({name, std::string(metric.meaning), prometheus::MetricType::Gauge, {}});
      }
      prometheus::ClientMetric point;
      const auto add = [&](std::string_view key, std::string_view value) {
        point.label.push_back({prometheus_label(key), std::string(value)});
      };
      node.entities().for_each_attribute(series->entity, add);
      for_each_constant_attribute(metric, add);
      point.gauge.value = sample.value;
      families.back().metric.push_back(std::move(point));
    }
  });
  return families;
}

void prometheus_cpp_serializer(benchmark::State& state) {
  const Node node;
  const std::vector<prometheus::MetricFamily> families = families_of(node);
  const prometheus::TextSerializer serializer;
  std::string out;
  for (auto _ : state) {
    out = serializer.Serialize(families);
    benchmark::DoNotOptimize(out.data());
  }
  count_series(state, node, out.size());
}
BENCHMARK(prometheus_cpp_serializer);
#endif

}  // namespace
}  // namespace warpsight
