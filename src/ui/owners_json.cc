#include "ui/owners_json.h"

#include <optional>
#include <span>

#include "sinks/json_lines.h"
#include "wire/json.h"

namespace warpsight {
namespace {

using identity::DeviceOwner;
using identity::DeviceOwners;
using identity::OwnerProcess;

void add_optional(JsonWriter& json, std::string_view key, const std::optional<double>& value) {
  if (value) json.field(key, *value);
}

void add_attributes(JsonWriter& json, std::span<const Attribute> attributes) {
  json.key("attributes").begin_object();
  for (const Attribute& a : attributes) json.field(a.key, a.value);
  json.end_object();
}

void add_list(JsonWriter& json, std::string_view key, std::span<const std::string> items) {
  json.key(key).begin_array();
  for (const std::string& item : items) json.value(item);
  json.end_array();
}

void add_processes(JsonWriter& json, std::string_view key, std::span<const OwnerProcess> items) {
  json.key(key).begin_array();
  for (const OwnerProcess& process : items) {
    json.begin_object().field("pid", process.pid).field("name", process.name);
    if (!process.evidence.empty()) json.field("evidence", process.evidence);
    add_optional(json, "memory_used_bytes", process.memory);
    json.end_object();
  }
  json.end_array();
}

void add_owner(JsonWriter& json, const DeviceOwner& owner) {
  std::string since;
  TimeText().append(since, owner.since);
  json.begin_object().field("kind", to_string(owner.kind)).field("name", owner.name);
  if (!owner.tenant.empty()) json.field("tenant", owner.tenant);
  add_attributes(json, owner.attributes);
  add_list(json, "held_by", owner.held_by);
  add_list(json, "used_by", owner.used_by);
  json.field("since", since);
  add_optional(json, "busy_seconds", owner.busy);
  add_optional(json, "energy_joules", owner.energy);
  add_optional(json, "utilization", owner.utilization);
  add_optional(json, "memory_used_bytes", owner.memory);
  add_processes(json, "processes", owner.processes);
  json.end_object();
}

void add_device(JsonWriter& json, const DeviceOwners& device) {
  json.begin_object().field("kind", device.is_mig ? "mig" : "gpu");
  if (device.divided) json.field("divided", true);
  add_attributes(json, device.attributes);
  add_optional(json, "utilization", device.utilization);
  add_optional(json, "memory_used_bytes", device.memory_used);
  add_optional(json, "memory_total_bytes", device.memory_total);
  json.key("owners").begin_array();
  for (const DeviceOwner& owner : device.owners) add_owner(json, owner);
  json.end_array();
  add_processes(json, "unknown_processes", device.unknown);
  json.key("unattributed")
      .begin_object()
      .field("busy_seconds", device.unattributed_busy)
      .field("energy_joules", device.unattributed_energy)
      .end_object();
  json.end_object();
}

}  // namespace

void append_owners_json(std::string& out, const identity::OwnersReport& report) {
  std::string time;
  TimeText().append(time, report.time);
  JsonWriter json(out);
  json.begin_object().field("time", time).key("devices").begin_array();
  for (const DeviceOwners& device : report.devices) add_device(json, device);
  json.end_array().key("lookups").begin_object();
  for (const identity::SourceLookups& source : report.lookups) {
    json.key(source.source).begin_array();
    for (const Lookup& lookup : source.lookups) {
      json.begin_object()
          .field("question", lookup.question)
          .field("answer", lookup.answer)
          .end_object();
    }
    json.end_array();
  }
  json.end_object().end_object();
  out += '\n';
}

}  // namespace warpsight
