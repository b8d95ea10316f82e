#include "wire/otlp/response.h"

#include <algorithm>

#include "wire/otlp/json_cursor.h"
#include "wire/otlp/proto_reader.h"

namespace warpsight::otlp {
namespace {

constexpr uint32_t kPartialSuccess = 1;
constexpr uint32_t kRejected = 1;
constexpr uint32_t kErrorMessage = 2;

// A negative number has no meaning here.
uint64_t count_of(int64_t rejected) {
  return static_cast<uint64_t>(std::max<int64_t>(rejected, 0));
}

bool decode_partial(std::string_view bytes, PartialSuccess& out) {
  FieldReader reader(bytes);
  Field field;
  while (reader.next(field)) {
    if (field.number == kRejected && field.type == WireType::varint) {
      out.rejected = count_of(static_cast<int64_t>(field.value));
    } else if (field.number == kErrorMessage && field.type == WireType::bytes) {
      out.words = field.bytes;
    }
  }
  return !reader.broken();
}

}  // namespace

std::optional<PartialSuccess> decode_response(std::string_view body) {
  PartialSuccess out;
  FieldReader reader(body);
  Field field;
  while (reader.next(field)) {
    if (field.number != kPartialSuccess) continue;
    if (field.type != WireType::bytes || !decode_partial(field.bytes, out)) return std::nullopt;
  }
  if (reader.broken()) return std::nullopt;
  return out;
}

std::optional<PartialSuccess> decode_json_response(std::string_view body) {
  PartialSuccess out;
  JsonCursor json(body);
  if (json.at_end()) return out;
  const auto read_rejected = [&] {
    const auto rejected = json.integer();
    if (rejected) out.rejected = count_of(*rejected);
    return rejected.has_value();
  };
  const auto read_partial = [&](std::string_view key) {
    if (key == "rejectedDataPoints" || key == "rejectedLogRecords") return read_rejected();
    return key == "errorMessage" ? json.text(out.words) : json.skip();
  };
  const auto read_response = [&](std::string_view key) {
    if (key != "partialSuccess") return json.skip();
    return json.null() || json.object(read_partial);
  };
  if (!json.object(read_response) || !json.at_end()) return std::nullopt;
  return out;
}

}  // namespace warpsight::otlp
