#include "wire/otlp/attributes.h"

#include "wire/proto_writer.h"
#include "wire/utf8.h"

namespace warpsight::otlp {
namespace {

constexpr char kKey = bytes_tag(1);
constexpr char kValue = bytes_tag(2);
constexpr char kStringValue = bytes_tag(1);

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Part part = next_utf8(text);
    out += part.valid ? text.substr(0, part.size) : kUtf8Replacement;
    text.remove_prefix(part.size);
  }
  return out;
}

}  // namespace

void append_attributes(std::string& out, char tag, std::span<const Attribute> attributes) {
  std::string pair;
  for (const Attribute& a : attributes) {
    if (is_private(a.key)) continue;
    pair.clear();
    append_text(pair, kKey, a.key);
    append_text_value(pair, kValue, a.value);
    append_bytes(out, tag, pair);
  }
}

void append_text(std::string& out, char tag, std::string_view text) {
  if (!text.empty()) append_bytes(out, tag, clean(text));
}

void append_text_value(std::string& out, char tag, std::string_view text) {
  std::string value;
  append_bytes(value, kStringValue, clean(text));
  append_bytes(out, tag, value);
}

}  // namespace warpsight::otlp
