// Attributes as OTLP's KeyValue.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "core/entity.h"

namespace warpsight::otlp {

// Of the entity and its parents, those constant for the metric, and `more`; a later one replaces
// an earlier one of the same key. `row` may be nullptr. Private ones are left out.
std::vector<Attribute> attributes_of(const EntityTable& entities, EntityId entity,
                                     const MetricRow* row, std::span<const Attribute> more);

// Appends each as a KeyValue behind `tag`, private ones left out.
void append_attributes(std::string& out, char tag, std::span<const Attribute> attributes);

// Appends a text field; an empty one is left out. Bytes that are not UTF-8, for which a peer would
// refuse the whole message, become U+FFFD.
void append_text(std::string& out, char tag, std::string_view text);

// Appends an AnyValue that holds a text.
void append_text_value(std::string& out, char tag, std::string_view text);

}  // namespace warpsight::otlp
