// Events, newest first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/registry.h"
#include "history/query.h"
#include "wire/json.h"

namespace warpsight {

// One object, as `now` and `events` list it.
void add_event(JsonWriter& json, const KeptEvent& event);

void append_events_json(std::string& out, const EventAnswer& answer);

// As the history would keep it, with the attributes of its entity.
KeptEvent kept_event(const Event& event, const EntityTable& entities);

// What the agent still has in its memory, for where there is no history. `recent` is oldest first.
EventAnswer recent_events(std::span<const Event> recent, const EntityTable& entities,
                          const EventQuery& query);

}  // namespace warpsight
