// A registry whose series a test sets by hand, with an engine over it. Only tests include this.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "alerts/engine.h"
#include "core/registry.h"

namespace warpsight::alerts::testing {

inline std::vector<Rule> rules_of(std::string_view yaml) {
  LoadedRules loaded = parse_rules(yaml, "rules.yaml");
  for (const RuleError& error : loaded.errors) ADD_FAILURE() << to_string(error);
  return std::move(loaded.rules);
}

class Node {
 public:
  explicit Node(std::vector<Rule> rules, EngineSettings settings = {})
      : settings_(std::move(settings)) {
    restart(std::move(rules));
  }

  // The same node with a new engine over an empty registry.
  void restart(std::vector<Rule> rules) {
    engine_.reset();
    registry_ = std::make_unique<Registry>(entities_);
    engine_ = std::make_unique<Engine>(entities_, std::move(rules), settings_, clock);
  }

  EntityId entity(std::vector<AttributeView> attributes) {
    return entities_.intern(EntityKind::facet, kNoEntity, attributes);
  }
  EntityId gpu(std::string_view index) {
    return entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", index}});
  }
  void set(Metric metric, EntityId entity, double value) { values_[{metric, entity.bits}] = value; }
  void unset(Metric metric, EntityId entity) { values_.erase({metric, entity.bits}); }
  void wear(EntityId gpu_id, std::vector<Attribute> owner) {
    auto worn = std::make_shared<Worn>();
    worn->attributes = std::move(owner);
    dressings_.push_back({gpu_id, std::move(worn)});
  }
  void end(EntityId id) {
    std::erase_if(values_, [&](const auto& item) { return item.first.second == id.bits; });
    gone_.push_back(id);
  }

  // Publishes now, and lets `interval` pass.
  void publish() {
    Feeder feeder(*this);
    Analysis* analyses[] = {&feeder, engine_.get()};
    registry_->publish(clock.now(), analyses);
    clock.advance(interval);
  }
  void publish_for(Duration time) {
    for (const Time end = clock.now() + time; clock.now() < end;) publish();
  }

  // "firing pending pending" of the alerts, in the order they are listed.
  std::string states() const {
    std::string out;
    for (const Alert& alert : engine().alerts()) {
      out += (out.empty() ? "" : " ") + std::string(to_string(alert.state));
    }
    return out;
  }
  // Names of the events of the last publish.
  std::vector<std::string> events() const {
    std::vector<std::string> names;
    registry_->read([&](const Snapshot& snapshot) {
      for (const Event& event : snapshot.events) names.push_back(event.name);
    });
    return names;
  }
  // Of warpsight.alerts, by rule and state; as of the last publish.
  std::map<std::string, double> gauge() const {
    std::map<std::string, double> out;
    registry_->inspect([&](const View& view) {
      view.for_each(Metric::warpsight_alerts, [&](const Series& series) {
        out[entities_.attribute(series.entity, "alert.name") + " " +
            entities_.attribute(series.entity, "alert.state")] = series.value;
      });
    });
    return out;
  }

  Engine& engine() { return *engine_; }
  const Engine& engine() const { return *engine_; }
  Registry& registry() { return *registry_; }
  const EntityTable& entities() const { return entities_; }

  ManualClock clock;
  Duration interval = std::chrono::seconds{10};

 private:
  // What it does not say again is not published.
  class Feeder final : public Analysis {
   public:
    explicit Feeder(Node& node) : node_(node) {}
    void run(const View& view, Batch& out) override {
      out.begin(view.now(), std::chrono::seconds{1});
      std::swap(out.dressings, node_.dressings_);
      std::swap(out.gone, node_.gone_);
      for (const auto& [key, value] : node_.values_) {
        out.add(key.first, EntityId{key.second}, value);
      }
    }

   private:
    Node& node_;
  };

  EngineSettings settings_;
  EntityTable entities_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Engine> engine_;
  std::map<std::pair<Metric, uint32_t>, double> values_;
  std::vector<Dressing> dressings_;
  std::vector<EntityId> gone_;
};

}  // namespace warpsight::alerts::testing
