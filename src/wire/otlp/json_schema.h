// How the fields of OTLP's messages are written as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/proto_writer.h"

namespace warpsight::otlp {

enum class JsonForm : uint8_t {
  text,
  flag,
  number,          // a double
  unsigned64,      // as a string
  integer64,       // as a string
  small_unsigned,  // 32 bits or an enumeration
  small_zigzag,
  message,
};

struct JsonMessage;

struct JsonField {
  uint32_t number;
  std::string_view name;
  JsonForm form;
  WireType type;                         // of one value
  const JsonMessage* message = nullptr;  // of that form
  bool repeated = false;                 // numbers are packed then
  bool presence = false;                 // written even when zero or empty
};

struct JsonMessage {
  std::span<const JsonField> fields;
};

extern const JsonMessage kMetricsRequestJson;
extern const JsonMessage kLogsRequestJson;

}  // namespace warpsight::otlp
