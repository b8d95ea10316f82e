#include "ui/device_status.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace warpsight {
namespace {

int number_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void collect(const EntityTable& entities, EntityKind kind, std::vector<DeviceStatus>& out) {
  const size_t first = out.size();
  entities.for_each(kind, [&](EntityId id, const Entity& entity) {
    DeviceStatus device;
    device.entity = id;
    device.mig = kind == EntityKind::mig;
    if (device.mig) device.parent = entity.parent;
    out.push_back(std::move(device));
  });
  // Outside for_each, which holds the table's lock.
  for (size_t i = first; i < out.size(); ++i) {
    entities.for_each_attribute(out[i].entity, [&](std::string_view key, std::string_view value) {
      out[i].attributes.push_back({std::string(key), std::string(value)});
    });
  }
}

}  // namespace

std::optional<double> DeviceStatus::value(Metric metric) const {
  for (size_t i = 0; i < std::size(kKeyMetrics); ++i) {
    if (kKeyMetrics[i].metric == metric) return values[i];
  }
  return std::nullopt;
}

std::string_view DeviceStatus::attribute(std::string_view key) const {
  // The instance's own come last and count more than its parent's.
  const auto found = std::find_if(attributes.rbegin(), attributes.rend(),
                                  [&](const Attribute& a) { return a.key == key; });
  return found == attributes.rend() ? std::string_view{} : std::string_view(found->value);
}

std::vector<DeviceStatus> device_statuses(const Snapshot& snapshot, const EntityTable& entities) {
  std::vector<DeviceStatus> devices;
  collect(entities, EntityKind::gpu, devices);
  collect(entities, EntityKind::mig, devices);
  std::ranges::stable_sort(devices, {}, [](const DeviceStatus& d) {
    return std::tuple(number_of(d.attribute("gpu.index")), d.mig,
                      number_of(d.attribute("gpu.mig.instance_id")));
  });

  for (const Sample& sample : snapshot.samples) {
    const Series* series = snapshot.series_of(sample);
    if (series == nullptr) continue;
    const auto key = std::ranges::find(kKeyMetrics, series->metric, &KeyMetric::metric);
    if (key == std::end(kKeyMetrics)) continue;
    EntityId owner = series->entity;
    if (!key->facet_key.empty()) {
      if (entities.attribute(owner, key->facet_key) != key->facet_value) continue;
      owner = entities.get(owner).parent;
    }
    const auto device = std::ranges::find(devices, owner, &DeviceStatus::entity);
    if (device == devices.end()) continue;
    device->values[static_cast<size_t>(key - std::begin(kKeyMetrics))] = sample.value;
  }
  return devices;
}

}  // namespace warpsight
