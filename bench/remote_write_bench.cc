// What a tick of remote write costs for 2,000 and 10,000 series of which each has a new point:
// encoding, snappy, and the way to version 1.0. The classes that protoc generates do the same work
// for comparison: filled anew each tick, as most clients do, and at their best, kept from tick to
// tick with nothing but times and values set.
#include <benchmark/benchmark.h>

#include <numeric>
#include <string>
#include <vector>

#include "remote_write_v1.pb.h"
#include "remote_write_v2.pb.h"
#include "sinks/remote_write/encoder.h"
#include "sinks/remote_write/remote_write_sink.h"
#include "wire/compression.h"
#include "wire/remote_write/request.h"

namespace warpsight {
namespace {

class Node {
 public:
  explicit Node(int64_t series) {
    constexpr int kGpus = 8;
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      const std::string number = std::to_string(gpu);
      gpus_.push_back(
          entities_.intern(EntityKind::gpu, kNoEntity,
                           {{"gpu.index", number},
                            {"gpu.uuid", "GPU-3b2c1a00-5f1e-4c2d-9a77-0123456789a" + number},
                            {"gpu.model", "NVIDIA H100 80GB HBM3"},
                            {"gpu.vendor", "nvidia"}}));
    }
    constexpr Metric kMetrics[] = {Metric::gpu_interconnect_io, Metric::gpu_interconnect_throughput,
                                   Metric::gpu_interconnect_errors, Metric::gpu_power_draw};
    for (int64_t i = 0; i < series; ++i) {
      const size_t turn = static_cast<size_t>(i);
      const EntityId facet =
          entities_.intern(EntityKind::facet, gpus_[turn % kGpus],
                           {{"gpu.interconnect.type", "nvlink"},
                            {"gpu.interconnect.link_index", std::to_string(i / kGpus / 4)}});
      series_.emplace_back(kMetrics[turn / kGpus % 4], facet);
    }
    tick(0);
  }

  void tick(int turn) {
    clock_.advance(std::chrono::seconds{1});
    batch_.begin(clock_.now(), std::chrono::seconds{1});
    int n = turn * 7919;
    for (const auto& [metric, entity] : series_) {
      ++n;
      batch_.add(metric, entity, n % 2 == 0 ? 1e9 + n * 4096.0 : 0.1 + (n % 9973) / 9973.0);
    }
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
  }

  RemoteWriteEncoder encoder() const {
    const std::vector<Attribute> resource = {{"host.name", "node1"}};
    return {entities_,
            *make_remote_target(Options::defaults(remote_write_sink_options()), resource), false};
  }
  const Registry& registry() const { return registry_; }

 private:
  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  std::vector<EntityId> gpus_;
  std::vector<std::pair<Metric, EntityId>> series_;
  Batch batch_;
};

void encode(const Node& node, RemoteWriteEncoder& encoder, Outbox& out) {
  out.clear();
  node.registry().read([&](const Snapshot& snapshot) { encoder.encode(snapshot, out); });
}

// All of a tick in one request, whatever number of messages it is.
std::string one_request(const Node& node) {
  RemoteWriteEncoder encoder = node.encoder();
  Outbox out;
  encode(node, encoder, out);
  oracle::rw2::Request all;
  for (const Message& message : out.messages()) {
    oracle::rw2::Request part;
    part.ParseFromString(message.bytes);
    all.mutable_symbols()->Swap(part.mutable_symbols());
    all.mutable_timeseries()->MergeFrom(part.timeseries());
  }
  return all.SerializeAsString();
}

void count(benchmark::State& state, size_t points, size_t bytes) {
  state.counters["points"] = static_cast<double>(points);
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["s_per_point"] = benchmark::Counter(
      static_cast<double>(points),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void tick_encoded(benchmark::State& state) {
  Node node(state.range(0));
  RemoteWriteEncoder encoder = node.encoder();
  Outbox out;
  encode(node, encoder, out);
  int turn = 0;
  for (auto _ : state) {
    state.PauseTiming();
    node.tick(++turn);
    state.ResumeTiming();
    encode(node, encoder, out);
    benchmark::DoNotOptimize(out.messages().data());
  }
  size_t points = 0;
  size_t bytes = 0;
  for (const Message& message : out.messages()) {
    points += message.points;
    bytes += message.bytes.size();
  }
  count(state, points, bytes);
}
BENCHMARK(tick_encoded)->Arg(2000)->Arg(10000);

void snappy_of_the_tick(benchmark::State& state) {
  const std::string body = one_request(Node(state.range(0)));
  Compressor snappy(Compression::snappy);
  size_t size = 0;
  for (auto _ : state) size = snappy.encode(body)->size();
  count(state, static_cast<size_t>(state.range(0)), size);
}
BENCHMARK(snappy_of_the_tick)->Arg(2000)->Arg(10000);

void version_one_of_the_tick(benchmark::State& state) {
  const std::string body = one_request(Node(state.range(0)));
  RemoteWriteRequest request;
  std::string out;
  std::vector<uint32_t> all;
  for (auto _ : state) {
    if (!request.read(body)) state.SkipWithError("not a request");
    all.resize(request.series());
    std::iota(all.begin(), all.end(), 0U);
    request.write_v1(all, false, out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, request.series(), out.size());
}
BENCHMARK(version_one_of_the_tick)->Arg(2000)->Arg(10000);

void generated_classes_kept(benchmark::State& state) {
  oracle::rw2::Request request;
  request.ParseFromString(one_request(Node(state.range(0))));
  std::string out;
  int64_t time = 1'700'000'000'000;
  for (auto _ : state) {
    time += 1000;
    double value = static_cast<double>(time);
    for (auto& series : *request.mutable_timeseries()) {
      auto* sample = series.mutable_samples(0);
      sample->set_value(value += 0.5);
      sample->set_timestamp(time);
    }
    request.SerializeToString(&out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, static_cast<size_t>(request.timeseries_size()), out.size());
}
BENCHMARK(generated_classes_kept)->Arg(2000)->Arg(10000);

void generated_classes_filled(benchmark::State& state) {
  const std::string body = one_request(Node(state.range(0)));
  oracle::rw2::Request known;
  known.ParseFromString(body);
  oracle::rw1::WriteRequest request;
  std::string out;
  int64_t time = 1'700'000'000'000;
  for (auto _ : state) {
    time += 1000;
    request.clear_timeseries();
    for (const auto& series : known.timeseries()) {
      auto* one = request.add_timeseries();
      for (int i = 0; i < series.labels_refs_size(); i += 2) {
        auto* label = one->add_labels();
        label->set_name(known.symbols(static_cast<int>(series.labels_refs(i))));
        label->set_value(known.symbols(static_cast<int>(series.labels_refs(i + 1))));
      }
      auto* sample = one->add_samples();
      sample->set_value(static_cast<double>(time));
      sample->set_timestamp(time);
    }
    request.SerializeToString(&out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, static_cast<size_t>(known.timeseries_size()), out.size());
}
BENCHMARK(generated_classes_filled)->Arg(2000)->Arg(10000);

}  // namespace
}  // namespace warpsight
