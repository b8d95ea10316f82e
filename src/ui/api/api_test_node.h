// A node for tests of the HTTP interface: two GPUs, one of them with MIG instances, an engine, and
// everything that the interface asks for.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ui/api/api_inputs.h"

namespace warpsight::test {

class FakeHistory final : public HistoryReader {
 public:
  tl::expected<SeriesAnswer, QueryError> series(const SeriesQuery& query) const override {
    asked_series = query;
    return series_answer;
  }
  Result<EventAnswer> events(const EventQuery& query) const override {
    asked_events = query;
    return event_answer;
  }
  Result<std::vector<KnownSeries>> known(const std::vector<std::string>&,
                                         const std::vector<Matcher>&) const override {
    return std::vector<KnownSeries>{};
  }

  mutable SeriesQuery asked_series;
  mutable EventQuery asked_events;
  tl::expected<SeriesAnswer, QueryError> series_answer = SeriesAnswer{};
  Result<EventAnswer> event_answer = EventAnswer{};
};

class ApiNode final : public ApiInputs {
 public:
  const Clock& clock() const override { return clock_; }
  const Registry& registry() const override { return registry_; }
  const EntityTable& entities() const override { return entities_; }
  AgentBasics basics() const override { return basics_; }
  identity::OwnersReport owners() const override { return owners_; }
  EngineGpus engine_gpus() const override { return engine_gpus_; }
  std::shared_ptr<const HistoryReader> history() const override { return history_; }
  alerts::Engine* alerts() override { return engine_.get(); }
  void silences_changed() override { ++silence_changes_; }

  EntityId gpu(const char* index, const char* uuid) {
    return entities_.intern(EntityKind::gpu, kNoEntity,
                            {{"gpu.index", index},
                             {"gpu.uuid", uuid},
                             {"gpu.model", "H100"},
                             {"gpu.vendor", "nvidia"},
                             {".pci", "0000:1b:00.0"}});
  }
  EntityId mig(EntityId gpu, const char* instance, const char* uuid) {
    return entities_.intern(EntityKind::mig, gpu,
                            {{"gpu.mig.instance_id", instance}, {"gpu.mig.uuid", uuid}});
  }
  EntityId process(EntityId device, const char* pid, const char* name) {
    return entities_.intern(EntityKind::process, device,
                            {{"process.pid", pid}, {"process.executable.name", name}});
  }
  EntityId facet(EntityId of, std::initializer_list<AttributeView> attributes) {
    return entities_.intern(EntityKind::facet, of, attributes);
  }

  void add(Metric metric, EntityId entity, double value) { batch_.add(metric, entity, value); }
  void tell(std::string name, Severity severity, EntityId entity, std::string message,
            std::vector<Attribute> attributes = {}) {
    batch_.events.push_back({clock_.now(), std::move(name), severity, entity, std::move(message),
                             std::move(attributes)});
  }
  void publish() {
    registry_.apply(registry_.add_source("test"), batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    batch_.begin(clock_.now(), std::chrono::seconds{10});
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  AgentBasics basics_{"node7", "1.2.3", "", std::chrono::seconds{90}, std::chrono::seconds{10}};
  identity::OwnersReport owners_ = {};
  EngineGpus engine_gpus_ = {};
  std::shared_ptr<FakeHistory> history_ = {};
  std::unique_ptr<alerts::Engine> engine_ = {};

  int silence_changes_ = 0;  // that were told of

 private:
  Batch batch_ = [this] {
    Batch batch;
    batch.begin(clock_.now(), std::chrono::seconds{10});
    return batch;
  }();
};

inline Alert firing_alert() {
  Alert alert;
  alert.id = "3f2a";
  alert.rule = "GpuHot";
  alert.state = AlertState::firing;
  alert.severity = Severity::error;
  alert.since = Time{std::chrono::seconds{1'699'999'000}};
  alert.fired = Time{std::chrono::seconds{1'699'999'300}};
  alert.value = 91;
  alert.unit = "Cel";
  alert.attributes = {{"gpu.uuid", "GPU-a"}};
  alert.summary = "GPU 0 is hot";
  alert.description = "It <is>.";
  return alert;
}

}  // namespace warpsight::test
