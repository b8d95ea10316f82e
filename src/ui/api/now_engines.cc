#include "ui/api/now_engines.h"

#include <algorithm>

#include "core/attributes.h"

namespace warpsight {
namespace {

constexpr std::string_view kUnknown = "unknown";

std::string_view value_of(std::span<const Attribute> attributes, std::string_view key) {
  const auto found = std::ranges::find(attributes, key, &Attribute::key);
  return found == attributes.end() ? std::string_view{} : std::string_view(found->value);
}

std::vector<EntityId> all_of(const EntityTable& entities, EntityKind kind) {
  std::vector<EntityId> ids;
  entities.for_each(kind, [&](EntityId id, const Entity&) { ids.push_back(id); });
  return ids;
}

}  // namespace

EngineCollector::EngineCollector(const EntityTable& entities) : entities_(entities) {
  for (const EntityId id : all_of(entities, EntityKind::engine)) add_subject(id, false);
  for (const EntityId id : all_of(entities, EntityKind::model)) add_subject(id, true);
}

void EngineCollector::add_subject(EntityId id, bool model) {
  Subject subject{id, {}, model, model, {}};
  subject.said.attributes = attributes_of(entities_, id, nullptr);
  subject.said.name = value_of(subject.said.attributes, "model.name");
  subject.address = value_of(subject.said.attributes, "server.address");
  EngineNow& engine = engine_at(subject.address);
  const std::string_view name = value_of(subject.said.attributes, "llm.engine");
  if (engine.engine == kUnknown && !name.empty()) engine.engine = name;
  if (engine.version.empty() && engine.engine == name) {
    engine.version = value_of(subject.said.attributes, "llm.engine.version");
  }
  subject_of_.emplace(id.bits, subjects_.size());
  subjects_.push_back(std::move(subject));
}

EngineNow& EngineCollector::engine_at(const std::string& address) {
  const auto known = std::ranges::find(engines_, address, &EngineNow::address);
  if (known != engines_.end()) return *known;
  return engines_.emplace_back(EngineNow{address, std::string(kUnknown), {}, false, {}});
}

EngineCollector::Subject* EngineCollector::find(EntityId id) {
  const auto found = subject_of_.find(id.bits);
  return found == subject_of_.end() ? nullptr : &subjects_[found->second];
}

void EngineCollector::take(const Series& series, double value) {
  if (series.metric == Metric::llm_latency_quantile) return take_latency(series, value);
  const bool up = series.metric == Metric::llm_up;
  const auto metric = std::ranges::find(kModelMetrics, series.metric);
  if (!up && metric == std::end(kModelMetrics)) return;
  Subject* subject = find(series.entity);
  if (subject == nullptr) return;
  if (up) {
    EngineNow& engine = engine_at(subject->address);
    engine.up = value != 0;
    engine.error = value_of(subject->said.attributes, "error.type");
    return;
  }
  subject->told = true;
  subject->said.values[static_cast<size_t>(metric - std::begin(kModelMetrics))] = value;
}

void EngineCollector::take_latency(const Series& series, double value) {
  const Entity facet = entities_.get(series.entity);
  Subject* subject = find(facet.parent);
  if (subject == nullptr) return;
  subject->told = true;
  auto& latencies = subject->said.latencies;
  const std::string_view name = value_of(facet.attributes, "llm.latency");
  auto latency = std::ranges::find(latencies, name, &LatencyNow::name);
  if (latency == latencies.end()) {
    latency = latencies.insert(latencies.end(), LatencyNow{std::string(name), {}});
  }
  latency->quantiles.emplace_back(value_of(facet.attributes, "q"), value);
}

std::vector<EngineNow> EngineCollector::finish() {
  for (Subject& subject : subjects_) {
    if (subject.told) engine_at(subject.address).models.push_back(std::move(subject.said));
  }
  for (EngineNow& engine : engines_) {
    std::ranges::stable_sort(engine.models, {}, &ModelNow::name);
  }
  std::ranges::sort(engines_, {}, &EngineNow::address);
  return std::move(engines_);
}

}  // namespace warpsight
