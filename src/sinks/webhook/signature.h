// What lets a receiver know who sent a body, and whether it had the body before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

// "sha256=" and the HMAC-SHA256 of "<timestamp>.<body>" in hexadecimal digits.
std::string webhook_signature(std::string_view secret, int64_t timestamp, std::string_view body);

// The same for the same body, in any run of the agent: 16 hexadecimal digits.
std::string delivery_id(std::string_view body);

}  // namespace warpsight
