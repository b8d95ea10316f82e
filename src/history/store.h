// The history's database file: how it is laid out, and how it is kept within its size.
//
//   series         id, hash, metric, unit, kind, attributes, first, last (zero: it goes on)
//   recent         frames of blocks that are not written yet, one row a flush
//   blocks         id, first, last, times of frames, bytes of chunks
//   chunks         key: block << 32 | series; the values of one series in one block
//   coarse_blocks  id, first (of five-minute bins since 1970), bins, bytes
//   coarse         key: coarse block << 32 | series
//   events         id, time, name, severity, message, attributes
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/clock.h"
#include "history/history.h"
#include "history/sqlite.h"

namespace warpsight {

inline constexpr int64_t kCoarseMs =
    std::chrono::duration_cast<std::chrono::milliseconds>(kCoarseStep).count();

inline int64_t chunk_key(int64_t block, uint32_t series) { return (block << 32) | series; }

// Of the bytes that may be used at most: what is for the write-ahead log, and what for the
// database.
struct StoreBudget {
  explicit StoreBudget(uint64_t max_bytes);
  uint64_t log;
  uint64_t database;
};

struct OpenedStore {
  std::unique_ptr<Database> database;  // null: it cannot be used
  Error error = {};                    // why
  bool damaged = false;                // nothing but a new file will help
};

// Makes the file if there is none.
OpenedStore open_store(const std::string& path, const StoreBudget& budget);

// Bytes of the database that hold something.
Result<uint64_t> used_bytes(Database& database);

// Gives pages that are free back to the disk when they are many, and holds SQLite to the budget.
Result<> shrink(Database& database, const StoreBudget& budget);

}  // namespace warpsight
