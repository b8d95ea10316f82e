// The history of series, step by step.
#pragma once

#include <string>

#include "history/query.h"

namespace warpsight {

void append_series_json(std::string& out, const SeriesQuery& query, const SeriesAnswer& answer);

}  // namespace warpsight
