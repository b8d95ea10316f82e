// Lets go of what is too old, or too much.
#pragma once

#include <cstdint>

#include "history/history.h"
#include "history/sqlite.h"
#include "history/store.h"

namespace warpsight {

inline constexpr int64_t kMostEvents = 100'000;

class Retention {
 public:
  Retention(Database& database, const HistorySettings& settings, const StoreBudget& budget)
      : database_(database), settings_(settings), budget_(budget) {}

  // What is older than it may be at `now`. Blocks are brought together before they go.
  Result<> expire(int64_t now);

  // Until `bytes` more fit: the oldest at full resolution first, while that has more than its third
  // of the room; then the oldest of the rest.
  Result<> make_room(uint64_t bytes);

  // Series that ended before everything that is kept. How many those were.
  Result<int64_t> forget_series(int64_t oldest);

 private:
  enum class Level : uint8_t { full, coarse };

  Result<> drop_oldest(Level level);
  Result<> expire_events(int64_t now);
  Result<bool> coarsen_if_due(int64_t now);

  Database& database_;
  const HistorySettings& settings_;
  const StoreBudget& budget_;
};

// When the oldest that is kept was recorded, in milliseconds; zero: nothing is.
struct OldestKept {
  int64_t full = 0;
  int64_t coarse = 0;
};
Result<OldestKept> oldest_kept(Database& database);

}  // namespace warpsight
