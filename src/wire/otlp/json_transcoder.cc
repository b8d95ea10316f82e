#include "wire/otlp/json_transcoder.h"

#include <bit>
#include <cmath>

#include "wire/json.h"
#include "wire/otlp/json_schema.h"
#include "wire/otlp/proto_reader.h"

namespace warpsight::otlp {
namespace {

// The schemas have no cycles, so the depth of a message is theirs whatever the bytes.
class Transcoder {
 public:
  explicit Transcoder(std::string& out) : json_(out) {}

  bool message(const JsonMessage& schema, std::string_view bytes) {
    json_.begin_object();
    for (const JsonField& field : schema.fields) {
      if (!(field.repeated ? list(field, bytes) : single(field, bytes))) return false;
    }
    json_.end_object();
    return true;
  }

 private:
  // Calls fn(found) for each occurrence of the field; false at bytes that are no message.
  template <typename Fn>
  static bool for_each(const JsonField& wanted, std::string_view message, Fn&& fn) {
    FieldReader reader(message);
    Field found;
    while (reader.next(found)) {
      if (found.number != wanted.number) continue;
      const bool packed = wanted.repeated && found.type == WireType::bytes;
      if ((found.type != wanted.type && !packed) || !fn(found)) return false;
    }
    return !reader.broken();
  }

  // Of several occurrences the last counts, as protobuf has it for all but messages.
  bool single(const JsonField& field, std::string_view message) {
    Field last;
    bool there = false;
    const auto keep = [&](const Field& found) {
      last = found;
      return there = true;
    };
    if (!for_each(field, message, keep)) return false;
    const bool empty = last.value == 0 && last.bytes.empty();
    if (!there || (empty && !field.presence && field.form != JsonForm::message)) return true;
    json_.key(field.name);
    return value(field, last);
  }

  bool list(const JsonField& field, std::string_view message) {
    bool open = false;
    const auto add = [&](const Field& found) {
      if (!open) json_.key(field.name).begin_array();
      open = true;
      return found.type == field.type ? value(field, found) : packed(field, found.bytes);
    };
    if (!for_each(field, message, add)) return false;
    if (open) json_.end_array();
    return true;
  }

  bool packed(const JsonField& field, std::string_view bytes) {
    while (!bytes.empty()) {
      Field item;
      const bool taken = field.type == WireType::fixed64 ? take_fixed64(bytes, item.value)
                                                         : take_varint(bytes, item.value);
      if (!taken || !value(field, item)) return false;
    }
    return true;
  }

  bool value(const JsonField& field, const Field& found) {
    switch (field.form) {
      case JsonForm::text: json_.value(found.bytes); break;
      case JsonForm::flag: json_.value(found.value != 0); break;
      case JsonForm::number: number(std::bit_cast<double>(found.value)); break;
      case JsonForm::unsigned64: quoted(found.value); break;
      case JsonForm::integer64: quoted(static_cast<int64_t>(found.value)); break;
      case JsonForm::small_unsigned: json_.value(static_cast<uint32_t>(found.value)); break;
      case JsonForm::small_zigzag: {
        const auto bits = static_cast<uint32_t>(found.value);
        json_.value(static_cast<int32_t>((bits >> 1) ^ (~(bits & 1) + 1)));
        break;
      }
      case JsonForm::message: return message(*field.message, found.bytes);
    }
    return true;
  }

  void number(double value) {
    if (std::isfinite(value)) {
      json_.value(value);
    } else {
      json_.value(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    }
  }

  void quoted(auto integer) {
    digits_.clear();
    JsonWriter(digits_).value(integer);
    json_.value(std::string_view(digits_));
  }

  JsonWriter json_;
  std::string digits_;
};

}  // namespace

bool append_metrics_json(std::string& out, std::string_view request) {
  return Transcoder(out).message(kMetricsRequestJson, request);
}

bool append_logs_json(std::string& out, std::string_view request) {
  return Transcoder(out).message(kLogsRequestJson, request);
}

}  // namespace warpsight::otlp
