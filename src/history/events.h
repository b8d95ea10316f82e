// Finds events, in the database and among those that are not in it yet.
#pragma once

#include "history/memory.h"
#include "history/query.h"
#include "history/sqlite.h"

namespace warpsight {

Result<EventAnswer> read_events(Database& database, const Memory& memory, const EventQuery& query);

}  // namespace warpsight
