// Header names and values: what may be sent, and what one of them says.
#pragma once

#include <optional>
#include <string_view>

#include "core/clock.h"

namespace warpsight {

// A token of RFC 9110: no spaces, no colon, not empty.
bool is_header_name(std::string_view name);
// Nothing that could end the line.
bool is_header_value(std::string_view value);

bool same_header_name(std::string_view a, std::string_view b);

// The wait that Retry-After asks for, in seconds or as a date ("Sun, 06 Nov 1994 08:49:37 GMT"),
// at most a day. nullopt for what is neither.
std::optional<Duration> parse_retry_after(std::string_view value, Time now);

}  // namespace warpsight
