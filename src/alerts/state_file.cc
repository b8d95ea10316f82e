#include "alerts/state_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "platform/file.h"
#include "runtime/log.h"
#include "wire/json.h"
#include "wire/json_text.h"

namespace warpsight::alerts {
namespace {

constexpr int64_t kVersion = 1;
constexpr size_t kMaxBytes = size_t{32} << 20;
constexpr size_t kMaxAlerts = 100'000;
constexpr std::array kStates = {AlertState::pending, AlertState::firing, AlertState::resolved};
constexpr std::array kSeverities = {Severity::info, Severity::warning, Severity::error};

int64_t nanoseconds(Time time) { return time.time_since_epoch().count(); }

Time time_of(Json json) { return Time{Duration{json.integer().value_or(0)}}; }

void write_pairs(JsonWriter& json, std::string_view key, const std::vector<Attribute>& pairs) {
  json.key(key).begin_object();
  for (const Attribute& a : pairs) json.field(a.key, a.value);
  json.end_object();
}

std::vector<Attribute> read_pairs(Json json) {
  std::vector<Attribute> out;
  json.for_each_member([&](std::string_view key, Json value) {
    out.push_back({std::string(key), std::string(value.text())});
  });
  return out;
}

void write_alert(JsonWriter& json, const LiveAlert& live) {
  const Alert& alert = live.alert;
  json.begin_object()
      .field("id", alert.id)
      .field("rule", alert.rule)
      .field("state", to_string(alert.state))
      .field("severity", to_string(alert.severity))
      .field("since", nanoseconds(alert.since))
      .field("fired", nanoseconds(alert.fired))
      .field("resolved", nanoseconds(alert.resolved))
      .field("held", nanoseconds(live.held))
      .field("missed", nanoseconds(live.missed))
      .field("told", live.told)
      .field("value", alert.value)
      .field("unit", alert.unit)
      .field("summary", alert.summary)
      .field("description", alert.description);
  write_pairs(json, "attributes", alert.attributes);
  write_pairs(json, "annotations", alert.annotations);
  json.end_object();
}

template <typename Word, size_t N>
std::optional<Word> word_of(Json json, const std::array<Word, N>& words) {
  for (const Word word : words) {
    if (json.text() == to_string(word)) return word;
  }
  return std::nullopt;
}

std::optional<LiveAlert> read_alert(Json json) {
  LiveAlert live;
  Alert& alert = live.alert;
  alert.id = json["id"].text();
  alert.rule = json["rule"].text();
  const auto state = word_of(json["state"], kStates);
  const auto severity = word_of(json["severity"], kSeverities);
  const char* end = alert.id.data() + alert.id.size();
  const auto [stop, error] = std::from_chars(alert.id.data(), end, live.key, 16);
  const auto value = json["value"].number();
  if (!state || !severity || !value || alert.rule.empty() || error != std::errc{} || stop != end ||
      alert.id != alert_id(live.key)) {
    return std::nullopt;
  }
  alert.state = *state;
  alert.severity = *severity;
  alert.since = time_of(json["since"]);
  alert.fired = time_of(json["fired"]);
  alert.resolved = time_of(json["resolved"]);
  alert.value = *value;
  alert.unit = json["unit"].text();
  alert.summary = json["summary"].text();
  alert.description = json["description"].text();
  alert.attributes = read_pairs(json["attributes"]);
  alert.annotations = read_pairs(json["annotations"]);
  live.held = time_of(json["held"]);
  live.missed = time_of(json["missed"]);
  live.told = json["told"].boolean().value_or(false);
  return live;
}

void write_silence(JsonWriter& json, const Silence& silence) {
  json.begin_object()
      .field("id", silence.id)
      .field("created", nanoseconds(silence.created))
      .field("until", nanoseconds(silence.until))
      .field("comment", silence.comment)
      .key("match")
      .begin_array();
  for (const Matcher& matcher : silence.matchers) json.value(to_string(matcher));
  json.end_array().end_object();
}

std::optional<Silence> read_silence(Json json) {
  Silence silence;
  silence.id = json["id"].text();
  silence.created = time_of(json["created"]);
  silence.until = time_of(json["until"]);
  silence.comment = json["comment"].text();
  bool whole = !silence.id.empty();
  json["match"].for_each([&](Json item) {
    auto matcher = parse_matcher(item.text());
    whole = whole && matcher;
    if (matcher) silence.matchers.push_back(std::move(*matcher));
  });
  if (!whole || silence.matchers.empty()) return std::nullopt;
  return silence;
}

void set_aside(const std::string& path, const Error& why) {
  const std::string aside = path + ".corrupt";
  std::error_code error;
  std::filesystem::rename(path, aside, error);
  log_warn("alerts remembered from before cannot be read; beginning without them",
           {{"file", path},
            {"set_aside", error ? std::string("no: ") + error.message() : aside},
            {"reason", why.message}});
}

}  // namespace

std::string alert_id(uint64_t key) { return fmt::format("{:016x}", key); }

std::string state_text(const SavedState& state) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("version", kVersion).key("alerts").begin_array();
  for (const LiveAlert& live : state.alerts) write_alert(json, live);
  json.end_array().key("silences").begin_array();
  for (const Silence& silence : state.silences) write_silence(json, silence);
  json.end_array().end_object();
  return out += '\n';
}

Result<SavedState> parse_state(std::string_view text) {
  JsonText reader(kMaxBytes);
  const auto json = reader.parse(text);
  if (!json) return tl::unexpected(json.error());
  if ((*json)["version"].integer() != kVersion) return fail("written by another version");
  if (!(*json)["alerts"].is_array() || !(*json)["silences"].is_array())
    return fail("parts missing");
  SavedState state;
  bool whole = (*json)["alerts"].size() <= kMaxAlerts;
  (*json)["alerts"].for_each([&](Json item) {
    auto live = read_alert(item);
    whole = whole && live;
    if (whole) state.alerts.push_back(std::move(*live));
  });
  (*json)["silences"].for_each([&](Json item) {
    auto silence = read_silence(item);
    whole = whole && silence;
    if (whole) state.silences.push_back(std::move(*silence));
  });
  if (!whole) return fail("an alert or a silence is not as it was written");
  return state;
}

SavedState read_state(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const auto text = read_file(path, kMaxBytes);
  auto state = text ? parse_state(*text) : tl::unexpected(text.error());
  if (state) return std::move(*state);
  set_aside(path, state.error());
  return {};
}

}  // namespace warpsight::alerts
