// base64 of RFC 4648.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpsight {

// With padding.
std::string base64_encode(std::string_view bytes);

// With or without padding; nullopt for anything that base64_encode could not have made.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace warpsight
