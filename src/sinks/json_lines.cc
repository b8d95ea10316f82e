#include "sinks/json_lines.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinks/aliases.h"
#include "wire/json.h"
#include "wire/number.h"

namespace warpsight {
namespace {

constexpr int64_t kNanoseconds = 1'000'000'000;

void write_digits(char* out, int64_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

std::string resource_suffix(std::span<const Attribute> resource) {
  std::string out;
  if (!resource.empty()) {
    out += ",\"resource\":";
    JsonWriter json(out);
    json.begin_object();
    for (const Attribute& a : resource) {
      if (a.key != "simulated") json.field(a.key, a.value);
    }
    json.end_object();
  }
  const bool simulated = std::ranges::any_of(
      resource, [](const Attribute& a) { return a.key == "simulated" && a.value == "true"; });
  if (simulated) out += ",\"simulated\":true";
  out += "}\n";
  return out;
}

}  // namespace

void TimeText::append(std::string& out, Time time) {
  using std::chrono::floor;
  const auto second = floor<std::chrono::seconds>(time);
  const int64_t count = second.time_since_epoch().count();
  if (count != second_) {
    second_ = count;
    const auto day = floor<std::chrono::days>(second);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(second - day);
    std::copy_n("0000-00-00T00:00:00.", sizeof text_, text_);
    write_digits(text_, int{date.year()}, 4);
    write_digits(text_ + 5, unsigned{date.month()}, 2);
    write_digits(text_ + 8, unsigned{date.day()}, 2);
    write_digits(text_ + 11, clock.hours().count(), 2);
    write_digits(text_ + 14, clock.minutes().count(), 2);
    write_digits(text_ + 17, clock.seconds().count(), 2);
  }
  char fraction[10] = {};
  write_digits(fraction, time.time_since_epoch().count() - count * kNanoseconds, 9);
  fraction[9] = 'Z';
  out.append(text_, sizeof text_);
  out.append(fraction, sizeof fraction);
}

JsonLines::JsonLines(const EntityTable& entities, std::span<const Attribute> resource, bool aliases)
    : entities_(entities), suffix_(resource_suffix(resource)), aliases_(aliases) {}

void JsonLines::append_attributes(std::string& out, EntityId entity, const MetricRow* row,
                                  std::span<const Attribute> more) const {
  std::vector<Attribute> all;
  const auto add = [&](std::string_view key, std::string_view value) {
    const auto known = std::ranges::find(all, key, &Attribute::key);
    if (known == all.end()) {
      all.push_back({std::string(key), std::string(value)});
    } else {
      known->value = value;
    }
  };
  entities_.for_each_attribute(entity, add);
  if (row != nullptr) for_each_constant_attribute(*row, add);
  for (const Attribute& a : more) {
    if (!is_private(a.key)) add(a.key, a.value);
  }
  out += ",\"attributes\":";
  JsonWriter json(out);
  json.begin_object();
  for (const Attribute& a : all) json.field(a.key, a.value);
  json.end_object();
}

JsonLines::Line JsonLines::make_line(std::string_view name, std::string_view unit,
                                     const Series& series) const {
  const MetricRow& metric = row(series.metric);
  Line line;
  line.head = ",\"metric\":";
  append_json_string(line.head, name);
  line.head += ",\"value\":";
  if (!unit.empty()) {
    line.tail += ",\"unit\":";
    append_json_string(line.tail, unit);
  }
  line.tail += ",\"kind\":";
  append_json_string(line.tail, to_string(metric.kind));
  append_attributes(line.tail, series.entity, &metric, {});
  line.tail += suffix_;
  line.tail.shrink_to_fit();
  return line;
}

const JsonLines::Lines& JsonLines::lines_of(const Sample& sample, const Series& series) {
  Lines& lines = lines_[sample.series];
  if (lines.birth == sample.birth) return lines;
  const MetricRow& metric = row(series.metric);
  lines.birth = sample.birth;
  lines.counter = metric.kind == MetricKind::counter;
  lines.lines.clear();
  lines.lines.push_back(make_line(metric.name, metric.unit, series));
  if (!aliases_) return lines;
  for (const Alias& alias : aliases_of(metric)) {
    if (!alias.facet_key.empty() &&
        entities_.attribute(series.entity, alias.facet_key) != alias.facet_value) {
      continue;
    }
    lines.lines.push_back(make_line(alias.name, alias.scale == 1 ? metric.unit : "", series));
    lines.lines.back().scale = alias.scale;
  }
  return lines;
}

void JsonLines::append_event(const Event& event, std::string& out) {
  out += "{\"time\":\"";
  time_.append(out, event.time);
  out += "\",\"event\":";
  append_json_string(out, event.name);
  out += ",\"severity\":";
  append_json_string(out, to_string(event.severity));
  out += ",\"message\":";
  append_json_string(out, event.message);
  append_attributes(out, event.entity, nullptr, event.attributes);
  out += suffix_;
}

void JsonLines::append(const Snapshot& snapshot, std::string& out) {
  if (lines_.size() < snapshot.series.size()) lines_.resize(snapshot.series.size());
  for (const Sample& sample : snapshot.samples) {
    const Series* series = snapshot.series_of(sample);
    if (series == nullptr || !std::isfinite(sample.value)) continue;
    const Lines& lines = lines_of(sample, *series);
    for (const Line& line : lines.lines) {
      out += "{\"time\":\"";
      time_.append(out, sample.time);
      out += '"';
      out += line.head;
      append_number(out, sample.value * line.scale);
      if (lines.counter) {
        out += ",\"start\":\"";
        start_.append(out, series->start);
        out += '"';
      }
      out += line.tail;
    }
  }
  for (const Event& event : snapshot.events) append_event(event, out);
}

}  // namespace warpsight
