// Attributes as OTLP's KeyValue.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/entity.h"

namespace warpsight::otlp {

// Appends each as a KeyValue behind `tag`, private ones left out.
void append_attributes(std::string& out, char tag, std::span<const Attribute> attributes);

// Appends a text field; an empty one is left out. Bytes that are not UTF-8, for which a peer would
// refuse the whole message, become U+FFFD.
void append_text(std::string& out, char tag, std::string_view text);

// Appends an AnyValue that holds a text.
void append_text_value(std::string& out, char tag, std::string_view text);

}  // namespace warpsight::otlp
