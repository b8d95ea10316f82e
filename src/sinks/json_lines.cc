#include "sinks/json_lines.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "core/attributes.h"
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

template <typename T>
void append_array(std::string& out, const std::vector<T>& numbers) {
  out += '[';
  for (const T& number : numbers) {
    if (&number != numbers.data()) out += ',';
    append_number(out, static_cast<double>(number));
  }
  out += ']';
}

void append_histogram(std::string& out, const Histogram& histogram) {
  const auto count = std::accumulate(histogram.counts.begin(), histogram.counts.end(), uint64_t{0});
  out += "{\"count\":";
  append_number(out, static_cast<double>(count));
  out += ",\"sum\":";
  append_number(out, histogram.sum);
  out += ",\"bounds\":";
  append_array(out, histogram.bounds);
  out += ",\"counts\":";
  append_array(out, histogram.counts);
  out += '}';
}

}  // namespace

std::string json_resource(std::span<const Attribute> resource) {
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
  return out;
}

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
    : entities_(entities), suffix_(json_resource(resource) + "}\n"), aliases_(aliases) {}

void JsonLines::append_attributes(std::string& out, EntityId entity, const MetricRow* row,
                                  std::span<const Attribute> more) const {
  out += ",\"attributes\":";
  JsonWriter json(out);
  json.begin_object();
  for (const Attribute& a : attributes_of(entities_, entity, row, more)) {
    json.field(a.key, a.value);
  }
  json.end_object();
}

JsonLines::Line JsonLines::make_line(std::string_view name, std::string_view unit,
                                     const Series& series) const {
  const MetricRow& metric = row(series.metric);
  Line line;
  line.head = ",\"metric\":";
  append_json_string(line.head, name);
  line.head += metric.kind == MetricKind::histogram ? ",\"histogram\":" : ",\"value\":";
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
  const bool histogram = metric.kind == MetricKind::histogram;
  lines.has_start = histogram || metric.kind == MetricKind::counter;
  lines.lines.clear();
  lines.lines.push_back(make_line(metric.name, metric.unit, series));
  if (!aliases_ || histogram) return lines;
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

void JsonLines::append_point(const Snapshot& snapshot, const Sample& sample, std::string& out) {
  const Series* series = snapshot.series_of(sample);
  if (series == nullptr || !std::isfinite(sample.value)) return;
  if (lines_.size() < snapshot.series.size()) lines_.resize(snapshot.series.size());
  const Histogram* histogram = snapshot.histogram_of(*series);
  const Lines& lines = lines_of(sample, *series);
  for (const Line& line : lines.lines) {
    out += "{\"time\":\"";
    time_.append(out, sample.time);
    out += '"';
    out += line.head;
    if (histogram != nullptr) {
      append_histogram(out, *histogram);
    } else {
      append_number(out, sample.value * line.scale);
    }
    if (lines.has_start) {
      out += ",\"start\":\"";
      start_.append(out, series->start);
      out += '"';
    }
    out += line.tail;
  }
}

void JsonLines::append(const Snapshot& snapshot, std::string& out) {
  for (const Sample& sample : snapshot.samples) append_point(snapshot, sample, out);
  for (const Event& event : snapshot.events) append_event(event, out);
}

}  // namespace warpsight
