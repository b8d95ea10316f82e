// What a tick of OTLP metrics costs, uncompressed: 480 points (60 metrics of eight GPUs) and
// 10,000. The reference implementation's generated classes write the same points for comparison,
// and so do their messages kept from tick to tick with new times and values put in.
#include <benchmark/benchmark.h>
#include <otlp_metrics.pb.h>

#include <string>
#include <vector>

#include "core/registry.h"
#include "wire/otlp/json_transcoder.h"
#include "wire/otlp/metrics_encoder.h"

namespace warpsight {
namespace {

namespace oracle = ::oracle::otlp;

constexpr int kMetrics = 60;

class Node {
 public:
  // Points spread over kMetrics metrics with five attributes each.
  explicit Node(int64_t points) {
    std::vector<Metric> metrics;
    for (const MetricRow& row : catalogue()) {
      const bool plain = row.kind == MetricKind::gauge || row.kind == MetricKind::counter;
      bool constant = false;
      for_each_constant_attribute(row, [&](auto, auto) { constant = true; });
      if (plain && !constant && metrics.size() < kMetrics) metrics.push_back(row.id);
    }
    for (int64_t i = 0; series_.size() < static_cast<size_t>(points); ++i) {
      const std::string number = std::to_string(i);
      const EntityId gpu =
          entities_.intern(EntityKind::gpu, kNoEntity,
                           {{"gpu.index", number},
                            {"gpu.uuid", "GPU-3b2c1a00-5f1e-4c2d-9a77-" +
                                             std::string(12 - number.size(), '0') + number},
                            {"gpu.model", "NVIDIA H100 80GB HBM3"},
                            {"gpu.vendor", "nvidia"},
                            {"gpu.pci.address", "0000:0" + number + ":00.0"}});
      for (const Metric metric : metrics) {
        if (series_.size() < static_cast<size_t>(points)) series_.emplace_back(metric, gpu);
      }
    }
    tick();
  }

  void tick() {
    clock_.advance(std::chrono::seconds{1});
    batch_.begin(clock_.now(), std::chrono::seconds{1});
    for (const auto& [metric, entity] : series_) batch_.add(metric, entity, value_ += 0.37);
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
  }

  const EntityTable& entities() const { return entities_; }
  const Registry& registry() const { return registry_; }

 private:
  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  std::vector<std::pair<Metric, EntityId>> series_;
  double value_ = 0;
  Batch batch_;
};

const std::vector<Attribute>& resource() {
  static const std::vector<Attribute> kResource = {{"service.name", "warpsight"},
                                                   {"host.name", "node1"}};
  return kResource;
}

void report(benchmark::State& state, size_t bytes) {
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["s_per_point"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void take(otlp::MetricsEncoder& encoder, const Node& node, std::vector<std::string>& out) {
  node.registry().read([&](const Snapshot& snapshot) {
    const size_t requests = encoder.take(snapshot);
    if (out.size() < requests) out.resize(requests);
    for (size_t i = 0; i < requests; ++i) {
      out[i].clear();
      encoder.append_request(i, out[i]);
    }
  });
}

void encoder(benchmark::State& state) {
  Node node(state.range(0));
  const otlp::Envelope envelope(resource(), "1.2.3");
  otlp::MetricsEncoder encoder(node.entities(), envelope, {});
  std::vector<std::string> out;
  take(encoder, node, out);
  for (auto _ : state) {
    state.PauseTiming();
    node.tick();
    state.ResumeTiming();
    take(encoder, node, out);
    benchmark::DoNotOptimize(out.data());
  }
  size_t bytes = 0;
  for (const std::string& request : out) bytes += request.size();
  report(state, bytes);
}
BENCHMARK(encoder)->Arg(480)->Arg(10'000);

void add_attribute(auto* owner, std::string_view key, std::string_view value) {
  oracle::KeyValue* pair = owner->add_attributes();
  pair->set_key(std::string(key));
  pair->mutable_value()->set_string_value(std::string(value));
}

oracle::NumberPoint* add_point(oracle::Metric& metric, const MetricRow& row, const Series& series) {
  if (row.kind == MetricKind::gauge) return metric.mutable_gauge()->add_data_points();
  metric.mutable_sum()->set_is_monotonic(true);
  metric.mutable_sum()->set_aggregation_temporality(oracle::CUMULATIVE);
  oracle::NumberPoint* point = metric.mutable_sum()->add_data_points();
  point->set_start_time_unix_nano(static_cast<uint64_t>(series.start.time_since_epoch().count()));
  return point;
}

void fill(const Node& node, oracle::MetricsRequest& request) {
  oracle::ResourceMetrics* top = request.add_resource_metrics();
  for (const Attribute& a : resource()) add_attribute(top->mutable_resource(), a.key, a.value);
  oracle::ScopeMetrics* scope = top->add_scope_metrics();
  scope->mutable_scope()->set_name("warpsight");
  node.registry().read([&](const Snapshot& snapshot) {
    for (const Sample& sample : snapshot.samples) {
      const Series& series = *snapshot.series_of(sample);
      const MetricRow& metric = row(series.metric);
      if (scope->metrics().empty() || scope->metrics().rbegin()->name() != metric.name) {
        oracle::Metric* added = scope->add_metrics();
        added->set_name(std::string(metric.name));
        added->set_description(std::string(metric.meaning));
        added->set_unit(std::string(metric.unit));
      }
      oracle::Metric& last = *scope->mutable_metrics()->rbegin();
      oracle::NumberPoint* point = add_point(last, metric, series);
      point->set_time_unix_nano(static_cast<uint64_t>(sample.time.time_since_epoch().count()));
      point->set_as_double(sample.value);
      node.entities().for_each_attribute(
          series.entity, [&](auto key, auto value) { add_attribute(point, key, value); });
    }
  });
}

void generated_classes(benchmark::State& state) {
  Node node(state.range(0));
  std::string out;
  for (auto _ : state) {
    state.PauseTiming();
    node.tick();
    state.ResumeTiming();
    oracle::MetricsRequest request;
    fill(node, request);
    request.SerializeToString(&out);
    benchmark::DoNotOptimize(out.data());
  }
  report(state, out.size());
}
BENCHMARK(generated_classes)->Arg(480)->Arg(10'000);

void generated_classes_kept(benchmark::State& state) {
  Node node(state.range(0));
  oracle::MetricsRequest request;
  fill(node, request);
  std::vector<oracle::NumberPoint*> points;
  for (auto& metric :
       *request.mutable_resource_metrics(0)->mutable_scope_metrics(0)->mutable_metrics()) {
    auto& list = metric.has_gauge() ? *metric.mutable_gauge()->mutable_data_points()
                                    : *metric.mutable_sum()->mutable_data_points();
    for (auto& point : list) points.push_back(&point);
  }
  std::string out;
  for (auto _ : state) {
    state.PauseTiming();
    node.tick();
    state.ResumeTiming();
    node.registry().read([&](const Snapshot& snapshot) {
      for (size_t i = 0; i < snapshot.samples.size(); ++i) {
        const Sample& sample = snapshot.samples[i];
        points[i]->set_time_unix_nano(
            static_cast<uint64_t>(sample.time.time_since_epoch().count()));
        points[i]->set_as_double(sample.value);
      }
    });
    request.SerializeToString(&out);
    benchmark::DoNotOptimize(out.data());
  }
  report(state, out.size());
}
BENCHMARK(generated_classes_kept)->Arg(480)->Arg(10'000);

void json_of_a_request(benchmark::State& state) {
  const Node node(state.range(0));
  const otlp::Envelope envelope(resource(), "1.2.3");
  otlp::MetricsEncoder encoder(node.entities(), envelope, {});
  std::vector<std::string> requests;
  take(encoder, node, requests);
  std::string json;
  for (auto _ : state) {
    json.clear();
    for (const std::string& request : requests) otlp::append_metrics_json(json, request);
    benchmark::DoNotOptimize(json.data());
  }
  report(state, json.size());
}
BENCHMARK(json_of_a_request)->Arg(480)->Arg(10'000);

}  // namespace
}  // namespace warpsight
