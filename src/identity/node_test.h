// A node of simulated devices for tests of who owns them: a registry with the identity analysis.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attributes.h"
#include "identity/identity.h"

namespace warpsight::identity {

class TestNode {
 public:
  explicit TestNode(IdentityOptions options = {}) : identity(entities, std::move(options)) {
    registry.set_settler(&identity);
  }

  EntityId add_gpu(int index, const std::string& uuid, int minor) {
    return entities.intern(EntityKind::gpu, kNoEntity,
                           {{"gpu.index", std::to_string(index)},
                            {"gpu.uuid", uuid},
                            {"gpu.vendor", "nvidia"},
                            {".minor", std::to_string(minor)}});
  }
  EntityId add_mig(EntityId gpu, int instance, const std::string& uuid) {
    return entities.intern(
        EntityKind::mig, gpu,
        {{"gpu.mig.instance_id", std::to_string(instance)}, {"gpu.mig.uuid", uuid}});
  }
  EntityId add_process(EntityId device, int pid) {
    return entities.intern(
        EntityKind::process, device,
        {{"process.pid", std::to_string(pid)}, {"process.executable.name", "python3"}});
  }

  // A point that is read every second.
  void say(Metric metric, EntityId entity, double value) {
    batch.begin(clock.now(), std::chrono::seconds{1});
    batch.add(metric, entity, value);
    registry.apply(nvml, batch, clock.now());
  }
  void say_share(EntityId process, double share) {
    say(Metric::gpu_process_utilization,
        entities.intern(EntityKind::facet, process, {{"gpu.task.type", "compute"}}), share);
  }
  void end(EntityId entity) {
    batch.gone.push_back(entity);
    registry.apply(nvml, batch, clock.now());
  }

  void report(std::string_view source, Ownership ownership) {
    batch.ownership = std::make_shared<const Ownership>(std::move(ownership));
    registry.apply(registry.add_source(source), batch, clock.now());
  }

  void wait(Duration time) { clock.advance(time); }
  void publish() {
    Analysis* analyses[] = {&identity};
    registry.publish(clock.now(), analyses);
  }

  // Published values of a metric by their attributes, "key=value ..." of the keys asked for.
  std::map<std::string, double> values(Metric metric, std::vector<std::string> keys) {
    return registry.read([&](const Snapshot& snapshot) {
      std::map<std::string, double> found;
      for (const Sample& sample : snapshot.samples) {
        const Series* series = snapshot.series_of(sample);
        if (series == nullptr || series->metric != metric) continue;
        std::string name;
        for (const Attribute& a : attributes_of(entities, series->entity, &row(metric))) {
          if (std::ranges::find(keys, a.key) == keys.end()) continue;
          name += (name.empty() ? "" : " ") + a.key + "=" + a.value;
        }
        found[name] = sample.value;
      }
      return found;
    });
  }
  std::vector<Event> events(std::string_view name) {
    std::vector<Event> found;
    for (const Event& event : registry.recent_events()) {
      if (event.name == name) found.push_back(event);
    }
    return found;
  }

  ManualClock clock;
  EntityTable entities;
  Registry registry{entities};
  Identity identity;
  uint16_t nvml = registry.add_source("nvml");
  Batch batch;
};

inline Owner pod(const std::string& name, std::vector<Attribute> more = {}) {
  Owner owner{OwnerKind::pod, "pod/uid-" + name + "/main", {"container/" + name}, {}};
  owner.attributes = {
      {"k8s.namespace.name", "default"}, {"k8s.pod.name", name}, {"k8s.container.name", "main"}};
  owner.attributes.insert(owner.attributes.end(), more.begin(), more.end());
  return owner;
}

inline Holding holds(const Owner& owner, const std::string& uuid) {
  return {owner.key, {DeviceName::Form::uuid, uuid}, "pod_resources"};
}

inline Member member(int pid, std::string key, std::string evidence = "cgroup") {
  return {pid, {std::move(key)}, std::move(evidence), {}};
}

}  // namespace warpsight::identity
