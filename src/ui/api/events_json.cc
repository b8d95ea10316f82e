#include "ui/api/events_json.h"

#include <algorithm>
#include <ranges>

#include "core/attributes.h"
#include "ui/api/json_parts.h"

namespace warpsight {
namespace {

bool names(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

bool wanted(const Event& event, const EventQuery& query) {
  const bool named = query.names.empty() || std::ranges::any_of(query.names, [&](const auto& n) {
                       return names(n, event.name);
                     });
  return named && event.severity >= query.least && event.time >= query.from &&
         event.time <= query.to;
}

}  // namespace

void add_event(JsonWriter& json, const KeptEvent& event) {
  json.begin_object();
  add_time(json, "time", event.time);
  json.field("name", event.name)
      .field("severity", to_string(event.severity))
      .field("message", event.message);
  add_attributes(json, event.attributes);
  json.end_object();
}

void append_events_json(std::string& out, const EventAnswer& answer) {
  JsonWriter json(out);
  json.begin_object().key("events").begin_array();
  for (const KeptEvent& event : answer.events) add_event(json, event);
  json.end_array().field("more", answer.more).end_object();
  out += '\n';
}

KeptEvent kept_event(const Event& event, const EntityTable& entities) {
  return {event.time, event.name, event.severity, event.message,
          attributes_of(entities, event.entity, nullptr, event.attributes)};
}

EventAnswer recent_events(std::span<const Event> recent, const EntityTable& entities,
                          const EventQuery& query) {
  EventAnswer answer;
  for (const Event& event : recent | std::views::reverse) {
    if (!wanted(event, query)) continue;
    KeptEvent kept = kept_event(event, entities);
    if (!matches(query.matchers, kept.attributes)) continue;
    answer.more = answer.events.size() == query.limit;
    if (answer.more) break;
    answer.events.push_back(std::move(kept));
  }
  return answer;
}

}  // namespace warpsight
