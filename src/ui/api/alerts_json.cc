#include "ui/api/alerts_json.h"

#include <algorithm>

#include "alerts/promql.h"
#include "ui/api/json_parts.h"

namespace warpsight {
namespace {

void add_silence(JsonWriter& json, const alerts::Silence& silence) {
  json.begin_object().field("id", silence.id).key("match").begin_array();
  for (const Matcher& matcher : silence.matchers) json.value(to_string(matcher));
  json.end_array();
  add_time(json, "created", silence.created);
  add_time(json, "until", silence.until);
  json.field("comment", silence.comment).end_object();
}

void add_rule(JsonWriter& json, const alerts::Rule& rule, std::span<const Alert> alerts) {
  const auto count = [&](AlertState state) {
    return std::ranges::count_if(
        alerts, [&](const Alert& a) { return a.state == state && a.rule == rule.name; });
  };
  json.begin_object()
      .field("name", rule.name)
      .field("severity", to_string(rule.severity))
      .field("enabled", rule.enabled)
      .field("summary", rule.summary)
      .field("expression", alerts::promql(rule))
      .field("for", to_seconds(rule.hold))
      .field("keep_firing", to_seconds(rule.keep_firing))
      .field("origin", rule.origin)
      .field("pending", count(AlertState::pending))
      .field("firing", count(AlertState::firing))
      .end_object();
}

}  // namespace

void add_alert(JsonWriter& json, const Alert& alert, bool silenced) {
  json.begin_object()
      .field("id", alert.id)
      .field("name", alert.rule)
      .field("state", to_string(alert.state))
      .field("severity", to_string(alert.severity));
  add_time(json, "since", alert.since);
  add_time(json, "fired", alert.fired);
  add_time(json, "resolved", alert.resolved);
  json.field("value", alert.value)
      .field("unit", alert.unit)
      .field("summary", alert.summary)
      .field("description", alert.description);
  add_attributes(json, alert.attributes);
  json.field("silenced", silenced).end_object();
}

void append_silence_json(std::string& out, const alerts::Silence& silence) {
  JsonWriter json(out);
  add_silence(json, silence);
  out += '\n';
}

void append_alerts_json(std::string& out, const AlertsInputs& inputs) {
  JsonWriter json(out);
  json.begin_object().key("alerts").begin_array();
  for (const Alert& alert : inputs.alerts) {
    add_alert(json, alert, inputs.silences.covers(alert, inputs.now));
  }
  json.end_array().key("rules").begin_array();
  for (const alerts::Rule& rule : inputs.rules) add_rule(json, rule, inputs.alerts);
  json.end_array().key("silences").begin_array();
  for (const alerts::Silence& silence : inputs.silences.active(inputs.now)) {
    add_silence(json, silence);
  }
  json.end_array().end_object();
  out += '\n';
}

}  // namespace warpsight
