// Which number a series has in the database, and which series go on.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "history/identity.h"
#include "history/memory.h"
#include "history/sqlite.h"

namespace warpsight {

class SeriesDirectory {
 public:
  explicit SeriesDirectory(Memory& memory) : memory_(memory) {}

  Result<> load(Database& database);

  // The number of a series that has a value at `time`; a new one when it was never met. nullopt
  // when too many wait to be written.
  Result<std::optional<uint32_t>> number_of(Database& database, SeriesIdentity identity,
                                            int64_t time);

  // A series that has ended, as far as is written, has a value again. False when it was forgotten
  // meanwhile.
  Result<bool> revive(Database& database, uint32_t series);
  // False: it has ended. Of a series that is written.
  bool is_live(uint32_t series) const { return live_.contains(series); }

  // Within a transaction: writes series that are new and those that go on after an end.
  Result<> write(Database& database) const;
  // After it was committed.
  void written();

  // Within a transaction that writes the oldest block of the memory: series that are in no block
  // ended before it.
  Result<> write_ends(Database& database) const;
  void ends_written();

  size_t size() const { return known_; }
  void forgotten(size_t series) { known_ -= std::min(known_, series); }

 private:
  bool goes_on(uint32_t series) const;

  Memory& memory_;
  uint32_t next_ = 1;
  size_t known_ = 0;
  std::unordered_set<uint32_t> live_;                 // not ended, as far as is written
  std::unordered_map<uint64_t, uint32_t> unwritten_;  // hash to index in the memory
};

}  // namespace warpsight
