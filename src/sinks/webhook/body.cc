#include "sinks/webhook/body.h"

#include <algorithm>

namespace warpsight {
namespace {

// Lines from `first` on become items of an array: a line has no line feed but its last byte.
void join_lines(std::string& body, size_t first) {
  std::replace(body.begin() + static_cast<std::ptrdiff_t>(first), body.end(), '\n', ',');
}

void close_array(std::string& body) {
  if (body.ends_with(',')) body.pop_back();
  body += ']';
}

}  // namespace

WebhookBodies::WebhookBodies(const EntityTable& entities, std::span<const Attribute> resource,
                             const WebhookBodySettings& settings)
    : settings_(settings),
      lines_(entities, {}, settings.aliases),
      resource_(json_resource(resource)) {}

void WebhookBodies::encode(const Snapshot& snapshot, Outbox& out) {
  if (settings_.events_only) {
    if (snapshot.events.empty()) return;
    Message& message = begin(snapshot, out);
    append_events(snapshot.events, message.bytes);
    message.points = static_cast<uint32_t>(snapshot.events.size());
    return;
  }
  std::span<const Sample> samples = snapshot.samples;
  std::span<const Event> events = snapshot.events;
  while (!samples.empty() || !events.empty()) {
    Message& message = begin(snapshot, out);
    message.bytes += ",\"points\":[";
    for (; !samples.empty() && message.points < settings_.most_points;
         samples = samples.subspan(1)) {
      const size_t before = message.bytes.size();
      lines_.append_point(snapshot, samples[0], message.bytes);
      if (message.bytes.size() == before) continue;
      join_lines(message.bytes, before);
      ++message.points;
    }
    close_array(message.bytes);
    append_events(events, message.bytes);
    events = {};
  }
}

Message& WebhookBodies::begin(const Snapshot& snapshot, Outbox& out) {
  Message& message = out.add();
  message.bytes += "{\"schema\":\"warpsight/1\",\"time\":\"";
  time_.append(message.bytes, snapshot.time);
  message.bytes += '"';
  message.bytes += resource_;
  return message;
}

void WebhookBodies::append_events(std::span<const Event> events, std::string& body) {
  body += ",\"events\":[";
  const size_t before = body.size();
  for (const Event& event : events) lines_.append_event(event, body);
  join_lines(body, before);
  close_array(body);
  body += '}';
}

}  // namespace warpsight
