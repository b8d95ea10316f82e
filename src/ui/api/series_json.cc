#include "ui/api/series_json.h"

#include "ui/api/json_parts.h"

namespace warpsight {

void append_series_json(std::string& out, const SeriesQuery& query, const SeriesAnswer& answer) {
  JsonWriter json(out);
  json.begin_object()
      .field("from", to_unix_seconds(query.from))
      .field("to", to_unix_seconds(query.to))
      .field("step", to_seconds(answer.step))
      .field("aggregate", to_string(query.aggregate))
      .key("times")
      .begin_array();
  Time begin = answer.first;
  for (size_t i = 0; i < answer.steps; ++i, begin += answer.step) {
    json.value(to_unix_seconds(begin));
  }
  json.end_array().key("series").begin_array();
  for (const SeriesAnswer::Row& row : answer.rows) {
    json.begin_object()
        .field("metric", row.metric)
        .field("unit", row.unit)
        .field("kind", to_string(row.kind));
    add_attributes(json, row.attributes);
    json.key("values").begin_array();
    for (const double value : row.values) json.value(value);
    json.end_array().end_object();
  }
  json.end_array().field("left_out", answer.left_out).end_object();
  out += '\n';
}

}  // namespace warpsight
