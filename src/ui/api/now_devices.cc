#include "ui/api/now_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>

#include "ui/api/json_parts.h"

namespace warpsight {
namespace {

using identity::DeviceOwner;
using identity::DeviceOwners;

// The nearest thing's come last.
std::string_view value_of(std::span<const Attribute> attributes, std::string_view key) {
  const auto found = std::find_if(attributes.rbegin(), attributes.rend(),
                                  [&](const Attribute& a) { return a.key == key; });
  return found == attributes.rend() ? std::string_view{} : std::string_view(found->value);
}

// Its uuid, or its place where the driver does not tell one.
std::string device_id(std::span<const Attribute> attributes, bool mig) {
  const std::string_view uuid = value_of(attributes, mig ? "gpu.mig.uuid" : "gpu.uuid");
  if (!uuid.empty()) return std::string(uuid);
  const std::string_view gpu = value_of(attributes, "gpu.index");
  if (!mig) return fmt::format("index:{}", gpu);
  return fmt::format("index:{}/{}", gpu, value_of(attributes, "gpu.mig.instance_id"));
}

void add_owner(JsonWriter& json, const DeviceOwner& owner) {
  json.begin_object().field("name", owner.name).field("kind", to_string(owner.kind));
  add_text_or_null(json, "tenant", owner.tenant);
  json.field("held", !owner.held_by.empty());
  add_time(json, "since", owner.since);
  add_optional(json, "utilization", owner.utilization);
  add_optional(json, "memory", owner.memory);
  add_optional(json, "busy", owner.busy);
  add_optional(json, "energy", owner.energy);
  json.end_object();
}

std::string_view owner_of(const DeviceOwners* known, std::string_view pid) {
  if (known == nullptr) return {};
  for (const DeviceOwner& owner : known->owners) {
    if (std::ranges::find(owner.processes, pid, &identity::OwnerProcess::pid) !=
        owner.processes.end()) {
      return owner.name;
    }
  }
  return {};
}

// Finds what belongs to a device, and writes both.
class DeviceWriter {
 public:
  DeviceWriter(JsonWriter& json, const NowFacts& facts, const NowInputs& inputs) : json_(json) {
    for (const DeviceOwners& device : inputs.owners.devices) {
      owners_.emplace(device_id(device.attributes, device.is_mig), &device);
    }
    for (const Alert& alert : inputs.alerts) {
      if (alert.state == AlertState::resolved) continue;
      const std::string_view mig = value_of(alert.attributes, "gpu.mig.uuid");
      alerts_.emplace(mig.empty() ? value_of(alert.attributes, "gpu.uuid") : mig, &alert);
    }
    for (const ProcessNow& process : facts.processes) {
      processes_[process.device.bits].push_back(&process);
    }
  }

  void add(const DeviceStatus& device) {
    const std::string id = device_id(device.attributes, device.mig);
    json_.begin_object().field("id", id).field("kind", device.mig ? "mig" : "gpu");
    add_text_or_null(json_, "parent", device.mig ? device_id(device.attributes, false) : "");
    json_.field("index", index_of(device))
        .field("model", device.attribute("gpu.model"))
        .field("vendor", device.attribute("gpu.vendor"));
    add_attributes(json_, device.attributes);
    add_values(device);
    const auto known = owners_.find(id);
    const DeviceOwners* owners = known == owners_.end() ? nullptr : known->second;
    json_.key("owners").begin_array();
    if (owners != nullptr) {
      for (const DeviceOwner& owner : owners->owners) add_owner(json_, owner);
    }
    json_.end_array();
    add_processes(device.entity, owners);
    json_.key("alerts").begin_array();
    const auto [first, last] = alerts_.equal_range(id);
    for (auto it = first; it != last; ++it) json_.value(it->second->id);
    json_.end_array().end_object();
  }

 private:
  static std::string index_of(const DeviceStatus& device) {
    const std::string_view gpu = device.attribute("gpu.index");
    if (!device.mig) return std::string(gpu);
    return fmt::format("{}/{}", gpu, device.attribute("gpu.mig.instance_id"));
  }

  void add_values(const DeviceStatus& device) {
    json_.key("values").begin_object();
    for (size_t i = 0; i < device.values.size(); ++i) {
      const std::optional<double>& value = device.values[i];
      if (value) json_.field(row(kKeyMetrics[i].metric).name, *value);
    }
    json_.end_object();
  }

  void add_processes(EntityId device, const DeviceOwners* owners) {
    json_.key("processes").begin_array();
    for (const ProcessNow* process : processes_[device.bits]) {
      json_.begin_object().field("pid", process->pid).field("name", process->name);
      add_text_or_null(json_, "owner", owner_of(owners, process->pid));
      add_optional(json_, "memory", process->memory);
      add_optional(json_, "utilization", process->utilization);
      json_.end_object();
    }
    json_.end_array();
  }

  JsonWriter& json_;
  std::unordered_map<std::string, const DeviceOwners*> owners_;
  std::multimap<std::string, const Alert*, std::less<>> alerts_;
  std::unordered_map<uint32_t, std::vector<const ProcessNow*>> processes_;  // by device
};

}  // namespace

void add_gpus(JsonWriter& json, const NowFacts& facts, const NowInputs& inputs) {
  DeviceWriter writer(json, facts, inputs);
  json.key("gpus").begin_array();
  for (const DeviceStatus& device : facts.devices) writer.add(device);
  json.end_array();
}

}  // namespace warpsight
