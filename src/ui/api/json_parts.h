// What the documents of the HTTP interface have in common.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/clock.h"
#include "core/entity.h"
#include "wire/json.h"

namespace warpsight {

// "attributes": {...}; private ones are left out.
void add_attributes(JsonWriter& json, std::span<const Attribute> attributes);

// Unix seconds; null for the zero time.
void add_time(JsonWriter& json, std::string_view key, Time time);

// null where there is none.
void add_optional(JsonWriter& json, std::string_view key, const std::optional<double>& value);

// null when empty.
void add_text_or_null(JsonWriter& json, std::string_view key, std::string_view text);

}  // namespace warpsight
