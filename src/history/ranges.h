// Answers what series were over a range of time.
#pragma once

#include "history/memory.h"
#include "history/query.h"
#include "history/sqlite.h"

namespace warpsight {

// Of a query that was checked.
tl::expected<SeriesAnswer, QueryError> read_ranges(Database& database, const Memory& memory,
                                                   const SeriesQuery& query);

}  // namespace warpsight
