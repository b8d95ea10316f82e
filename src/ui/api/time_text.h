// Moments and lengths of time as a request or a command line gives them.
#pragma once

#include <string_view>

#include "core/clock.h"
#include "core/result.h"

namespace warpsight {

// Unix seconds ("1731700000.5"), RFC 3339 ("2024-11-15T19:46:40Z", "...+02:00"), "-1h" before
// `now`, or "now".
Result<Time> parse_time(std::string_view text, Time now);

// "5m", or seconds ("300"). Never negative.
Result<Duration> parse_seconds_or_duration(std::string_view text);

}  // namespace warpsight
