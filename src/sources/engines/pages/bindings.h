// What the series of a page go into: which of our series, as which part of it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/catalogue.h"
#include "core/entity.h"
#include "sources/engines/pages/claims.h"
#include "sources/engines/pages/table_names.h"
#include "sources/engines/tables/table.h"

namespace warpsight::engines {

using SeriesId = uint32_t;  // of prometheus_text::SeriesIndex

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// One of our series.
struct Slot {
  Metric metric{};
  EntityId entity;
  MetricKind kind = MetricKind::gauge;
  Across across = Across::sum;
  bool items = false;      // see MetricRule::count_items
  uint32_t model = kNone;  // told only where the page speaks for this one
};

struct ModelStanding {
  std::string model;
  Standing standing;
};

struct Binding {
  SeriesId series;
  uint32_t slot;
  uint64_t group;  // of series that differ in nothing but their part
  uint32_t rule;   // of rules on this page
  uint16_t candidate;
  Part part;
  double number;  // of a bucket: its bound; of a rule that counts items: how many
};

// Only ever grows; what is no more is left out by making all of them anew.
class Bindings {
 public:
  void clear() { *this = {}; }

  void add(const Binding& binding) { all_.push_back(binding); }

  // The same metric of the same entity is the same slot. kNone when it was of another kind.
  uint32_t slot(const Slot& slot);
  // `rule` is told from others by its address and, where it has several meanings, by `via`.
  uint32_t rule(const void* rule, const void* via, double scale);
  uint32_t model(std::string_view name, Standing standing);

  std::span<const Binding> all() const { return all_; }
  std::span<const Slot> slots() const { return slots_; }
  std::span<const double> scales() const { return scales_; }  // by rule
  std::span<const ModelStanding> models() const { return models_; }

 private:
  struct PairHash {
    size_t operator()(const std::pair<const void*, const void*>& pair) const {
      return std::hash<const void*>{}(pair.first) * 31 + std::hash<const void*>{}(pair.second);
    }
  };

  std::vector<Binding> all_;
  std::vector<Slot> slots_;
  std::unordered_map<uint64_t, uint32_t> slot_of_;
  std::vector<double> scales_;
  std::unordered_map<std::pair<const void*, const void*>, uint32_t, PairHash> rule_of_;
  std::vector<ModelStanding> models_;
  std::map<std::pair<std::string, Standing>, uint32_t> model_of_;
};

}  // namespace warpsight::engines
