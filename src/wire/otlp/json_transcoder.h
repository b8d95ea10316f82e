// OTLP requests in protobuf's bytes turned into OTLP's JSON: names in lowerCamelCase, 64-bit
// integers as strings, enumerations as numbers, NaN and the infinities as strings.
#pragma once

#include <string>
#include <string_view>

namespace warpsight::otlp {

// Append the request as one JSON object. Fields that the encoders here never write are left out.
// False when the bytes are not such a message; `out` then ends anywhere.
bool append_metrics_json(std::string& out, std::string_view request);
bool append_logs_json(std::string& out, std::string_view request);

}  // namespace warpsight::otlp
