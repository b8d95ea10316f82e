// A registry, an encoder and the reference implementation's decoder, for tests.
#pragma once

#include <gtest/gtest.h>
#include <otlp_metrics.pb.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"
#include "wire/otlp/metrics_encoder.h"

namespace warpsight::otlp::testing {

namespace oracle = ::oracle::otlp;

class EncoderTest : public ::testing::Test {
 protected:
  EncoderTest() { use({}); }

  void use(MetricsForm form, size_t limit = MetricsEncoder::kRequestLimit) {
    encoder_ = std::make_unique<MetricsEncoder>(entities_, envelope_, form, limit);
    begin();
  }
  void begin() { batch_.begin(clock_.now(), std::chrono::seconds{1}); }

  // Applies the batch, lets a second pass and publishes.
  void publish() {
    registry_.apply(source_, batch_, clock_.now());
    clock_.advance(std::chrono::seconds{1});
    registry_.publish(clock_.now(), {});
    begin();
  }

  std::vector<std::string> requests() {
    std::vector<std::string> all;
    registry_.read([&](const Snapshot& snapshot) {
      const size_t count = encoder_->take(snapshot);
      for (size_t i = 0; i < count; ++i) {
        points_ += encoder_->append_request(i, all.emplace_back());
      }
    });
    return all;
  }

  // Of a snapshot that makes one request at most.
  oracle::MetricsRequest decoded() {
    oracle::MetricsRequest request;
    const std::vector<std::string> all = requests();
    EXPECT_LE(all.size(), 1U);
    EXPECT_TRUE(all.empty() || request.ParseFromString(all.front()));
    return request;
  }

  std::map<std::string, oracle::Metric> metrics() {
    std::map<std::string, oracle::Metric> found;
    const oracle::MetricsRequest request = decoded();
    if (request.resource_metrics().empty()) return found;
    for (const oracle::Metric& metric : request.resource_metrics(0).scope_metrics(0).metrics()) {
      EXPECT_TRUE(found.emplace(metric.name(), metric).second)
          << metric.name() << " is there twice";
    }
    return found;
  }

  void add_latency(std::vector<uint64_t> counts, double sum, Time start = {}) {
    batch_.add_histogram(Metric::llm_ttft, gpu_, kBounds, counts, sum, start);
  }

  static uint64_t nanoseconds(Time time) {
    return static_cast<uint64_t>(time.time_since_epoch().count());
  }

  static constexpr double kBounds[] = {0.1, 1, 10};

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  EntityId gpu_ = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}, {".pci", "x"}});
  std::vector<Attribute> resource_ = {{"host.name", "node1"}};
  Envelope envelope_{resource_, "1.2.3"};
  std::unique_ptr<MetricsEncoder> encoder_;
  uint32_t points_ = 0;  // as the encoder counts them
  Batch batch_;
};

inline std::map<std::string, std::string> attributes(const auto& point) {
  std::map<std::string, std::string> all;
  for (const auto& pair : point.attributes()) {
    EXPECT_TRUE(all.emplace(pair.key(), pair.value().string_value()).second) << pair.key();
  }
  return all;
}

}  // namespace warpsight::otlp::testing
