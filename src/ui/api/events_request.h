// A question to the history of events, as a request or `warpsight query` puts it.
#pragma once

#include "history/query.h"
#include "ui/api/parameters.h"

namespace warpsight {

inline constexpr size_t kMaxEvents = 1000;
inline constexpr size_t kMaxEventNames = 20;

// from, to, name, severity, match, limit; see docs/api.md.
Result<EventQuery> parse_events_request(const Parameters& parameters, Time now);

}  // namespace warpsight
