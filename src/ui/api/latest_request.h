// Which of the last publish's values are asked for.
#pragma once

#include "ui/api/latest_json.h"
#include "ui/api/parameters.h"

namespace warpsight {

// metric and match, both as often as wanted; see docs/api.md.
Result<LatestFilter> parse_latest_request(const Parameters& parameters);

}  // namespace warpsight
