#include "ui/api/known_json.h"

#include "ui/api/json_parts.h"
#include "wire/json.h"

namespace warpsight {

void append_known_json(std::string& out, const std::vector<KnownSeries>& known) {
  JsonWriter json(out);
  json.begin_object().key("series").begin_array();
  for (const KnownSeries& series : known) {
    json.begin_object()
        .field("metric", series.metric)
        .field("unit", series.unit)
        .field("kind", to_string(series.kind));
    add_attributes(json, series.attributes);
    add_time(json, "first", series.first);
    add_time(json, "last", series.last);
    json.end_object();
  }
  json.end_array().end_object();
  out += '\n';
}

}  // namespace warpsight
