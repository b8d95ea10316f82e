// A question to the history of series, as a request or `warpsight query` puts it.
#pragma once

#include "history/query.h"
#include "ui/api/parameters.h"

namespace warpsight {

inline constexpr size_t kMaxMetrics = 20;
inline constexpr size_t kMaxSeries = 1000;

// metric, match, from, to, step, aggregate, limit; see docs/api.md.
Result<SeriesQuery> parse_series_request(const Parameters& parameters, Time now);

}  // namespace warpsight
