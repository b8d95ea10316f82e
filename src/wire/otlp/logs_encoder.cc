#include "wire/otlp/logs_encoder.h"

#include "core/attributes.h"
#include "wire/otlp/attributes.h"
#include "wire/proto_writer.h"

namespace warpsight::otlp {
namespace {

constexpr char kLogRecord = bytes_tag(2);

constexpr char kTime = fixed64_tag(1);
constexpr char kSeverityNumber = varint_tag(2);
constexpr char kSeverityText = bytes_tag(3);
constexpr char kBody = bytes_tag(5);
constexpr char kAttributes = bytes_tag(6);
constexpr char kObservedTime = fixed64_tag(11);
constexpr char kEventName = bytes_tag(12);

uint64_t severity_number(Severity severity) {
  switch (severity) {
    case Severity::info: return 9;
    case Severity::warning: return 13;
    case Severity::error: return 17;
  }
  return 0;
}

void append_time(std::string& out, char tag, Time time) {
  out += tag;
  append_fixed64(out, static_cast<uint64_t>(time.time_since_epoch().count()));
}

}  // namespace

void append_logs_request(std::string& out, const Envelope& envelope, const EntityTable& entities,
                         std::span<const Event> events, Time observed) {
  std::string records;
  std::string record;
  for (const Event& event : events) {
    record.clear();
    append_time(record, kTime, event.time);
    record += kSeverityNumber;
    append_varint(record, severity_number(event.severity));
    append_text(record, kSeverityText, to_string(event.severity));
    append_text_value(record, kBody, event.message);
    append_attributes(record, kAttributes,
                      attributes_of(entities, event.entity, nullptr, event.attributes));
    append_time(record, kObservedTime, observed);
    append_text(record, kEventName, event.name);
    append_bytes(records, kLogRecord, record);
  }
  out.reserve(out.size() + envelope.request_size(records.size()));
  envelope.append(out, records.size());
  out += records;
}

}  // namespace warpsight::otlp
