#include "ui/status_json.h"

#include <optional>

#include "sinks/json_lines.h"
#include "ui/api/json_parts.h"
#include "ui/device_status.h"
#include "wire/json.h"

namespace warpsight {
namespace {

std::string time_text(Time time) {
  std::string out;
  TimeText().append(out, time);
  return out;
}

void add_entity(JsonWriter& json, const EntityTable& entities, EntityId entity) {
  json.key("entity").begin_object();
  entities.for_each_attribute(
      entity, [&](std::string_view key, std::string_view value) { json.field(key, value); });
  json.end_object();
}

void add_sources(JsonWriter& json, const AgentStatus& status) {
  json.key("sources").begin_array();
  for (const SourceStatus& source : status.sources) {
    json.begin_object()
        .field("name", source.name)
        .field("summary", source.summary)
        .field("enabled", source.enabled)
        .field("up", source.up)
        .field("simulated", source.simulated)
        .field("period_seconds", to_seconds(source.period))
        .field("duration_seconds", to_seconds(source.duration))
        .field("errors", source.errors)
        .field("restarts", source.restarts)
        .field("series", source.series)
        .field("last_error", source.last_error)
        .end_object();
  }
  json.end_array();
}

void add_sinks(JsonWriter& json, const AgentStatus& status) {
  json.key("sinks").begin_array();
  for (const SinkStatus& sink : status.sinks) {
    json.begin_object()
        .field("name", sink.name)
        .field("target", sink.target)
        .field("up", sink.up)
        .field("sent", sink.sent)
        .field("failures", sink.failures)
        .field("last_error", sink.last_error)
        .field("state", sink.state)
        .field("dropped", sink.dropped)
        .field("waiting_points", sink.waiting_points)
        .field("waiting_bytes", sink.waiting_bytes)
        .field("waiting_seconds", to_seconds(sink.waiting_for))
        .end_object();
  }
  json.end_array();
}

void add_history(JsonWriter& json, const std::optional<HistoryStatus>& history) {
  const HistoryStatus status = history.value_or(HistoryStatus{});
  json.key("history")
      .begin_object()
      .field("enabled", history.has_value())
      .field("up", status.up)
      .field("path", status.path)
      .field("bytes", status.bytes)
      .field("max_bytes", status.max_bytes)
      .field("series", status.series);
  add_time(json, "oldest", status.oldest);
  add_time(json, "oldest_full", status.oldest_full);
  json.field("dropped", status.dropped)
      .field("damaged", status.damaged)
      .field("last_error", status.last_error)
      .field("set_aside", status.set_aside)
      .end_object();
}

// Values of one metric are never of different devices: the names need no facets.
void add_devices(JsonWriter& json, std::span<const DeviceStatus> devices) {
  json.key("devices").begin_array();
  for (const DeviceStatus& device : devices) {
    json.begin_object().field("kind", device.mig ? "mig" : "gpu");
    add_attributes(json, device.attributes);
    json.key("values").begin_object();
    for (size_t i = 0; i < device.values.size(); ++i) {
      const std::optional<double>& value = device.values[i];
      if (value) json.field(row(kKeyMetrics[i].metric).name, *value);
    }
    json.end_object().end_object();
  }
  json.end_array();
}

void add_snapshot(JsonWriter& json, const Registry& registry, const EntityTable& entities,
                  Time now) {
  registry.read([&](const Snapshot& snapshot) {
    json.key("publish");
    if (snapshot.time == Time{}) {
      json.null();
    } else {
      json.begin_object()
          .field("time", time_text(snapshot.time))
          .field("age_seconds", to_seconds(now - snapshot.time))
          .field("interval_seconds", to_seconds(snapshot.interval))
          .field("samples", snapshot.samples.size())
          .end_object();
    }
    add_devices(json, device_statuses(snapshot, entities));
  });
  const DropCounts drops = registry.drops();
  json.key("drops")
      .begin_object()
      .field("series_limit", drops.series_limit)
      .field("out_of_order", drops.out_of_order)
      .field("not_finite", drops.not_finite)
      .field("entity_gone", drops.entity_gone)
      .field("bad_histogram", drops.bad_histogram)
      .field("events_limit", drops.events_limit)
      .end_object();
}

void add_absences(JsonWriter& json, const Registry& registry, const EntityTable& entities) {
  json.key("absences").begin_array();
  registry.for_each_missing([&](const Missing& missing) {
    json.begin_object()
        .field("metric", row(missing.metric).name)
        .field("why", to_string(missing.why))
        .field("detail", missing.detail);
    add_entity(json, entities, missing.entity);
    json.end_object();
  });
  json.end_array();
}

void add_events(JsonWriter& json, const Registry& registry, const EntityTable& entities) {
  json.key("events").begin_array();
  for (const Event& event : registry.recent_events()) {
    json.begin_object()
        .field("time", time_text(event.time))
        .field("event", event.name)
        .field("severity", to_string(event.severity))
        .field("message", event.message);
    add_entity(json, entities, event.entity);
    add_attributes(json, event.attributes);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void append_status_json(std::string& out, const AgentStatus& status, const Registry& registry,
                        const EntityTable& entities, Time now) {
  JsonWriter json(out);
  json.begin_object()
      .field("version", status.version)
      .field("host", status.host)
      .field("simulated", !status.scenario.empty());
  if (!status.scenario.empty()) json.field("scenario", status.scenario);
  json.field("uptime_seconds", to_seconds(status.uptime));
  json.key("found").begin_array();
  for (const std::string& line : status.found) json.value(line);
  json.end_array();
  add_sources(json, status);
  add_sinks(json, status);
  add_history(json, status.history);
  add_snapshot(json, registry, entities, now);
  add_absences(json, registry, entities);
  add_events(json, registry, entities);
  json.end_object();
  out += '\n';
}

}  // namespace warpsight
