#include "ui/api/latest_json.h"

#include <algorithm>

#include "core/attributes.h"
#include "ui/api/json_parts.h"

namespace warpsight {

LatestValues latest_values(const Registry& registry, const LatestFilter& filter) {
  LatestValues latest;
  registry.read([&](const Snapshot& snapshot) {
    latest.time = snapshot.time;
    if (filter.metrics.empty()) latest.values.reserve(snapshot.samples.size());
    for (const Sample& sample : snapshot.samples) {
      const Series* series = snapshot.series_of(sample);
      if (series == nullptr) continue;
      const bool wanted = filter.metrics.empty() ||
                          std::ranges::find(filter.metrics, series->metric) != filter.metrics.end();
      if (!wanted) continue;
      latest.values.push_back({series->metric, series->entity, sample.time, sample.value});
    }
  });
  return latest;
}

void append_latest_json(std::string& out, const LatestValues& latest, const LatestFilter& filter,
                        const EntityTable& entities) {
  JsonWriter json(out);
  json.begin_object();
  add_time(json, "time", latest.time);
  json.key("series").begin_array();
  for (const LatestValues::Value& value : latest.values) {
    if (!entities.alive(value.entity)) continue;
    const MetricRow& metric = row(value.metric);
    const auto attributes = attributes_of(entities, value.entity, &metric);
    if (!matches(filter.matchers, attributes)) continue;
    json.begin_object()
        .field("metric", metric.name)
        .field("unit", metric.unit)
        .field("kind", to_string(metric.kind));
    add_attributes(json, attributes);
    json.field("value", value.value);
    add_time(json, "time", value.time);
    json.end_object();
  }
  json.end_array().end_object();
  out += '\n';
}

}  // namespace warpsight
