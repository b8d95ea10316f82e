// Brings back what was recorded and flushed, but is not in a written block.
#pragma once

#include "history/memory.h"
#include "history/sqlite.h"

namespace warpsight {

// Into a memory that is empty. A record that makes no sense is left out.
Result<> replay(Database& database, Memory& memory);

}  // namespace warpsight
