// Makes the rows that are kept for weeks from the chunks that are kept for hours.
#pragma once

#include <cstdint>

#include "history/sqlite.h"

namespace warpsight {

// Written blocks are brought together once they span so long: fewer, longer chunks.
inline constexpr int64_t kCoarseBlockMs = 6LL * 60 * 60 * 1000;

// Up to where every written block has been brought together: milliseconds, a whole bin. The first
// written block's begin when nothing has.
Result<int64_t> coarse_until(Database& database);

// Brings together all whole bins of written blocks, in transactions of at most about
// `transaction_bytes`.
Result<> coarsen(Database& database, uint64_t transaction_bytes);

}  // namespace warpsight
