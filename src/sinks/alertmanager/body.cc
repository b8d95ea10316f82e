#include "sinks/alertmanager/body.h"

#include <algorithm>
#include <map>

#include "sinks/json_lines.h"
#include "wire/json.h"
#include "wire/prometheus_name.h"

namespace warpsight {
namespace {

// How many times `resend` may fail before the peer takes a firing alert for resolved.
constexpr int kPatience = 4;

bool is_told(const Alert& alert) { return alert.state != AlertState::pending && !alert.silenced; }

std::string time_text(Time time) {
  std::string text;
  TimeText().append(text, time);
  return text;
}

}  // namespace

AlertmanagerBodies::AlertmanagerBodies(std::span<const Attribute> resource, Duration resend)
    : resource_(resource.begin(), resource.end()), resend_(resend) {}

void AlertmanagerBodies::append(const Alert& alert, Time unless_told, std::string& body) const {
  // Sorted, and each once: of two keys that make one label the alert's own counts.
  std::map<std::string, std::string_view> labels;
  for (const Attribute& a : resource_) labels.insert_or_assign(prometheus_label(a.key), a.value);
  for (const Attribute& a : alert.attributes) {
    labels.insert_or_assign(prometheus_label(a.key), a.value);
  }
  labels.insert_or_assign("alertname", alert.rule);
  labels.insert_or_assign("severity", to_string(alert.severity));

  JsonWriter json(body);
  json.begin_object().key("labels").begin_object();
  for (const auto& [key, value] : labels) {
    if (!value.empty()) json.field(key, value);
  }
  json.end_object().key("annotations").begin_object().field("summary", alert.summary);
  if (!alert.description.empty()) json.field("description", alert.description);
  for (const Attribute& a : alert.annotations) json.field(prometheus_label(a.key), a.value);
  const bool resolved = alert.state == AlertState::resolved;
  json.end_object()
      .field("startsAt", time_text(alert.fired))
      .field("endsAt", time_text(resolved ? alert.resolved : unless_told))
      .end_object();
}

void AlertmanagerBodies::encode(std::span<const Alert> alerts, Time now, Duration interval,
                                Outbox& out) {
  std::string told;
  uint32_t count = 0;
  for (const Alert& alert : alerts) {
    if (!is_told(alert)) continue;
    ++count;
    told.append(alert.id).append(alert.state == AlertState::firing ? "+" : "-");
  }
  const bool due = now - sent_ >= resend_ || now < sent_;
  if (told == told_ && (count == 0 || !due)) return;
  told_ = std::move(told);
  if (count == 0) return;
  sent_ = now;

  Message& message = out.add();
  message.points = count;
  message.bytes += '[';
  for (const Alert& alert : alerts) {
    if (!is_told(alert)) continue;
    if (message.bytes.size() > 1) message.bytes += ',';
    append(alert, now + kPatience * std::max(resend_, interval), message.bytes);
  }
  message.bytes += ']';
}

}  // namespace warpsight
