// What serving engines did lately: rates, shares and latency quantiles of a window of time, from
// counters and histograms that only ever grow.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/registry.h"
#include "core/window_rules.h"

namespace warpsight {

// Computes the rules of core/window_rules.h, those of the common names, and llm.latency.quantile.
//
// The window of a series runs from its point at the publish before to its newest one, and lasts as
// long as lies between the times of the two. While no newer point comes the last window is told
// again, until the series is stale; when it comes back, its window covers the whole stretch. A
// series that is new says nothing yet. One that began anew gained what it counts since then.
//
// A result is said of the model, else of the engine, else of the MIG instance or GPU, else of the
// entity of the series itself; all series below that are added up. Windows may differ among them,
// so it is what each gained a second that is added up, for rates and shares alike. Where two rules
// give the same metric of the same entity the older rule is told. A rule says nothing of an entity
// that lacks one of its terms, and is left out when a term's part does not fit its metric's kind.
//
// Quantiles are linear inside a bucket, the first of which begins at zero; above the last bound
// they are the last bound. Histograms of one model are added up where their bounds are equal. Of
// several kinds of bounds, only the kind with the most observations in the window is told: no
// bucket is guessed apart.
class ServingWindows final : public Analysis {
 public:
  explicit ServingWindows(EntityTable& entities);
  void run(const View& view, Batch& out) override;

  static constexpr std::array<std::string_view, 4> kQuantiles = {"0.5", "0.9", "0.95", "0.99"};

 private:
  // One series as of the last publish at which it was told, and what it gained until then.
  struct Track {
    EntityId entity;
    EntityId owner;  // what the result is said of
    Time seen{};     // the publish

    Time time{};
    Time start{};
    double last = 0;
    Histogram histogram;  // empty for counters

    bool known = false;  // whether there is a window
    double seconds = 0;
    double gain = 0;  // of the counter, or of the histogram's count
    double sum_gain = 0;
    std::vector<uint64_t> bucket_gains;

    void follow(const Series& series, const Histogram* newest);
    bool began_anew(const Series& series) const;
    bool gain_buckets(const Series& series, const Histogram& newest);
  };
  struct Input {
    Metric metric;
    std::unordered_map<uint32_t, Track> tracks;  // by the birth of the series
  };
  struct Term {
    size_t input;
    WindowTerm::Part part;
  };
  struct Rule {
    Metric to;
    WindowRule::Kind kind;
    std::vector<Term> over;
    std::vector<Term> under;
  };
  // What one series adds to a rule.
  struct Share {
    EntityId owner;
    bool under;
    uint32_t term;
    double per_second;
  };
  struct Value {
    Metric to;
    EntityId owner;
    size_t rule;
    double value;
  };
  // Observations of one entity in one kind of buckets.
  struct Distribution {
    const std::vector<double>* bounds = nullptr;
    std::vector<uint64_t> counts;
    uint64_t total = 0;
  };
  using QuantileEntities = std::array<EntityId, kQuantiles.size()>;

  void add_rule(const WindowRule& rule);
  size_t input_of(Metric metric);
  EntityId owner_of(EntityId entity) const;
  void follow(const View& view, Input& input);
  void forget_ended(Time now);
  void compute(size_t rule);
  void collect(std::span<const Term> terms, bool under);
  void tell_values(Batch& out);
  void tell_quantiles(size_t latency, Batch& out);
  void add_up(std::span<const Track* const> members, Distribution& into) const;
  void tell(size_t latency, EntityId owner, const Distribution& of, Batch& out);

  EntityTable& entities_;
  Time now_{};
  std::vector<Input> inputs_;
  std::vector<Rule> rules_;
  size_t taken_rules_ = 0;                                            // of core/window_rules.h
  std::vector<size_t> latencies_;                                     // inputs
  std::unordered_map<uint64_t, QuantileEntities> quantile_entities_;  // by owner and latency

  // Kept for their memory.
  std::vector<Share> shares_;
  std::vector<Value> values_;
  std::vector<const Track*> members_;
  Distribution most_;
  Distribution candidate_;
};

}  // namespace warpsight
