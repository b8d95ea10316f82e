#include "ui/api/json_parts.h"

namespace warpsight {

void add_attributes(JsonWriter& json, std::span<const Attribute> attributes) {
  json.key("attributes").begin_object();
  for (const Attribute& a : attributes) {
    if (!is_private(a.key)) json.field(a.key, a.value);
  }
  json.end_object();
}

void add_time(JsonWriter& json, std::string_view key, Time time) {
  json.key(key);
  if (time == Time{}) {
    json.null();
  } else {
    json.value(to_unix_seconds(time));
  }
}

void add_optional(JsonWriter& json, std::string_view key, const std::optional<double>& value) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void add_text_or_null(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

}  // namespace warpsight
