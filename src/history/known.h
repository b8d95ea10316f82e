// Finds series by metric and attributes, in the database and among those that are not in it yet.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/matcher.h"
#include "history/identity.h"
#include "history/memory.h"
#include "history/query.h"
#include "history/sqlite.h"

namespace warpsight {

// By metric as asked (none: all, by name), then by attributes, numbers in them by size.
Result<std::vector<SeriesRow>> find_series(Database& database, const Memory& memory,
                                           std::span<const std::string> metrics,
                                           std::span<const Matcher> matchers);

Result<std::vector<KnownSeries>> read_known(Database& database, const Memory& memory,
                                            std::span<const std::string> metrics,
                                            std::span<const Matcher> matchers);

}  // namespace warpsight
