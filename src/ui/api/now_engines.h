// The serving engines of a snapshot: one for each address, with the models behind it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"

namespace warpsight {

inline constexpr Metric kModelMetrics[] = {
    Metric::llm_requests_running,  Metric::llm_requests_waiting, Metric::llm_generation_throughput,
    Metric::llm_prompt_throughput, Metric::llm_request_rate,     Metric::llm_kv_cache_usage,
    Metric::llm_prefix_cache_hits, Metric::llm_batch_size,       Metric::llm_error_share,
};

struct LatencyNow {
  std::string name;                                       // "ttft"
  std::vector<std::pair<std::string, double>> quantiles;  // "0.95" and seconds
};

struct ModelNow {
  std::string name;  // empty: what the engine says without naming a model
  std::vector<Attribute> attributes = {};
  std::array<std::optional<double>, std::size(kModelMetrics)> values = {};
  std::vector<LatencyNow> latencies = {};
};

struct EngineNow {
  std::string address;
  std::string engine;   // "unknown" while nothing says
  std::string version;  // empty: not known
  bool up = false;      // its page was read whole
  std::string error;    // what kind of failure; empty: none
  std::vector<ModelNow> models = {};
};

// Fed with every sample of one snapshot.
class EngineCollector {
 public:
  explicit EngineCollector(const EntityTable& entities);

  void take(const Series& series, double value);
  // By address; models by name.
  std::vector<EngineNow> finish();

 private:
  struct Subject {
    EntityId entity;
    std::string address;
    bool model;  // it is one; else the engine itself
    bool told;   // something was said of it
    ModelNow said;
  };

  void add_subject(EntityId id, bool model);
  EngineNow& engine_at(const std::string& address);
  void take_latency(const Series& series, double value);
  Subject* find(EntityId id);

  const EntityTable& entities_;
  std::vector<EngineNow> engines_;
  std::vector<Subject> subjects_;
  std::unordered_map<uint32_t, size_t> subject_of_;  // by entity
};

}  // namespace warpsight
