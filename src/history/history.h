// The node's memory: every series at full resolution for hours and downsampled for weeks, and the
// events beside them, in one small database file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/entity.h"
#include "core/registry.h"
#include "core/result.h"
#include "history/query.h"

namespace warpsight {

struct HistorySettings {
  std::string directory;  // made if need be
  uint64_t max_bytes = uint64_t{200} << 20;
  Duration full_for = std::chrono::hours{24};          // at full resolution
  Duration kept_for = std::chrono::hours{24} * 30;     // downsampled to kCoarseStep
  Duration flush_interval = std::chrono::seconds{30};  // the most that a kill can cost
};

inline constexpr Duration kCoarseStep = std::chrono::minutes{5};

struct HistoryStatus {
  bool up = false;  // the last write succeeded
  std::string path;
  uint64_t bytes = 0;
  uint64_t max_bytes = 0;
  uint64_t series = 0;
  Time oldest{};                // zero: nothing is kept yet
  Time oldest_full{};           // at full resolution
  uint64_t dropped = 0;         // samples and events that could not be kept
  uint64_t damaged = 0;         // records that did not decode, each time one was read
  std::string last_error = {};  // what to do included; empty while up
  std::string set_aside = {};   // a damaged file that was found at the start
};

// Reads what is kept. Any number of threads and processes may, while an agent writes.
class HistoryReader {
 public:
  virtual ~HistoryReader() = default;
  virtual tl::expected<SeriesAnswer, QueryError> series(const SeriesQuery& query) const = 0;
  virtual Result<EventAnswer> events(const EventQuery& query) const = 0;
  // What there is to ask for: series of these metrics (none: all) that match.
  virtual Result<std::vector<KnownSeries>> known(const std::vector<std::string>& metrics,
                                                 const std::vector<Matcher>& matchers) const = 0;
};

// Writes on a thread of its own: no publish waits for a disk.
class History : public HistoryReader {
 public:
  // A damaged file is set aside and a new one begun. Fails only when there is no directory to write
  // in, or another agent writes there.
  static Result<std::unique_ptr<History>> open(const HistorySettings& settings, const Clock& clock,
                                               const EntityTable& entities);

  // Under the registry's lock, once a publish; copies what it needs and returns.
  virtual void record(const Snapshot& snapshot) = 0;

  virtual HistoryStatus status() const = 0;

  // Writes what is not written yet; false when that takes longer than `timeout`. Else the directory
  // is free for another; this one can still be read.
  virtual bool stop(Duration timeout) = 0;
};

// What an agent that may be running or not has kept in `directory`.
Result<std::unique_ptr<HistoryReader>> open_history(const std::string& directory);

}  // namespace warpsight
