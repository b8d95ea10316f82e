// A registry of serving engines, scraped and published by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/serving_windows.h"

namespace warpsight {

using Counts = std::vector<uint64_t>;

class ServingWindowsTest : public ::testing::Test {
 protected:
  EntityId engine(std::string_view address) {
    return entities_.intern(EntityKind::engine, kNoEntity,
                            {{"llm.engine", "vllm"},
                             {"server.address", address},
                             {".provider", "vllm"},
                             {".operation", "chat"}});
  }
  EntityId model(EntityId engine, std::string_view name = "llama") {
    return entities_.intern(EntityKind::model, engine, {{"model.name", name}});
  }
  EntityId facet(EntityId of, std::string_view key, std::string_view value) {
    return entities_.intern(EntityKind::facet, of, {{key, value}});
  }

  // Points that are scraped now.
  void count(Metric metric, EntityId entity, double value, Time start = {}) {
    batch_.begin(clock_.now(), std::chrono::seconds{10});
    batch_.add_counter(metric, entity, value, start);
    registry_.apply(source_, batch_, clock_.now());
  }
  void observe(Metric metric, EntityId entity, const Counts& counts, double sum = 0,
               Time start = {}) {
    batch_.begin(clock_.now(), std::chrono::seconds{10});
    batch_.add_histogram(metric, entity, bounds_, counts, sum, start);
    registry_.apply(source_, batch_, clock_.now());
  }
  void generated(double tokens, Time start = {}) {
    count(Metric::llm_tokens_generation, llama_, tokens, start);
  }

  void pass(Duration time = std::chrono::seconds{10}) { clock_.advance(time); }
  void publish() {
    Analysis* analyses[] = {&windows_};
    registry_.publish(clock_.now(), analyses);
  }

  std::optional<double> told(Metric metric, EntityId entity) {
    return registry_.read([&](const Snapshot& snapshot) {
      std::optional<double> found;
      for (const Sample& sample : snapshot.samples) {
        const Series& series = *snapshot.series_of(sample);
        if (series.metric == metric && series.entity == entity) found = sample.value;
      }
      return found;
    });
  }
  std::optional<double> throughput() { return told(Metric::llm_generation_throughput, llama_); }
  std::optional<double> quantile(std::string_view latency, std::string_view q, EntityId of) {
    return told(Metric::llm_latency_quantile,
                entities_.intern(EntityKind::facet, of, {{"llm.latency", latency}, {"q", q}}));
  }
  std::optional<double> ttft(std::string_view q) { return quantile("ttft", q, llama_); }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("scrape");
  EntityId engine_ = engine("127.0.0.1:8000");
  EntityId llama_ = model(engine_);
  std::vector<double> bounds_ = {0.1, 0.2, 0.4, 1.0};
  ServingWindows windows_{entities_};
  Batch batch_;
};

}  // namespace warpsight
