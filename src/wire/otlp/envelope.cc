#include "wire/otlp/envelope.h"

#include "wire/otlp/attributes.h"
#include "wire/proto_writer.h"

namespace warpsight::otlp {
namespace {

constexpr std::string_view kSchema = "https://opentelemetry.io/schemas/1.37.0";
constexpr std::string_view kScope = "warpsight";

// The request's only field; the resource's, the scope's and the schema's places in their parents.
constexpr char kResourceItems = bytes_tag(1);
constexpr char kResource = bytes_tag(1);
constexpr char kScopeItems = bytes_tag(2);
constexpr char kScopeTag = bytes_tag(1);
constexpr char kSchemaTag = bytes_tag(3);

}  // namespace

Envelope::Envelope(std::span<const Attribute> resource, std::string_view version) {
  std::string part;
  append_attributes(part, bytes_tag(1), resource);
  append_bytes(resource_, kResource, part);
  append_bytes(resource_, kSchemaTag, kSchema);
  part.clear();
  append_text(part, bytes_tag(1), kScope);
  append_text(part, bytes_tag(2), version);
  append_bytes(scope_, kScopeTag, part);
  append_bytes(scope_, kSchemaTag, kSchema);
}

size_t Envelope::request_size(size_t items) const {
  return framed_size(resource_.size() + framed_size(scope_.size() + items));
}

void Envelope::append(std::string& out, size_t items) const {
  const size_t scope_size = scope_.size() + items;
  append_frame(out, kResourceItems, resource_.size() + framed_size(scope_size));
  out += resource_;
  append_frame(out, kScopeItems, scope_size);
  out += scope_;
}

}  // namespace warpsight::otlp
