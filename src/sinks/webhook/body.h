// Snapshots as JSON documents:
//
//   {"schema":"warpsight/1","time":..,"resource":{..},"simulated":true,
//    "points":[{"time":..,"metric":..,"value":..,..}],"events":[{"time":..,"event":..,..}]}
//
// Points and events are those of the JSON lines, without the resource, which is said once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/entity.h"
#include "core/registry.h"
#include "runtime/sink.h"
#include "sinks/json_lines.h"

namespace warpsight {

struct WebhookBodySettings {
  bool aliases = false;
  bool events_only = false;  // documents without points, and only when there are events
  uint32_t most_points = 5000;
};

// Not thread-safe.
class WebhookBodies {
 public:
  WebhookBodies(const EntityTable& entities, std::span<const Attribute> resource,
                const WebhookBodySettings& settings);

  // As many messages as most_points asks for, the events in the first one.
  void encode(const Snapshot& snapshot, Outbox& out);

 private:
  Message& begin(const Snapshot& snapshot, Outbox& out);
  void append_events(std::span<const Event> events, std::string& body);

  WebhookBodySettings settings_;
  JsonLines lines_;
  std::string resource_;
  TimeText time_;
};

}  // namespace warpsight
