// What waits for a sink's peer: on disk, or where the disk does not take it, the newest few in
// memory.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "runtime/sink_drops.h"
#include "runtime/spool_disk.h"
#include "runtime/spool_record.h"
#include "runtime/spool_settings.h"

namespace warpsight {

struct SpoolState {
  bool empty = true;
  uint64_t bytes = 0;
  uint64_t points = 0;
  Time oldest{};  // of what waits; meaningless when empty
  SinkDrops drops;
};

// Thread-safe. Every call but state() may wait for the disk.
class Spool {
 public:
  // Held in memory while the disk takes nothing.
  static constexpr size_t kMessagesInMemory = 4;
  static constexpr size_t kBytesInMemory = size_t{8} << 20;

  Spool(SpoolSettings settings, const Clock& clock);

  // Finds what an earlier run left. A directory that cannot be used is tried again by put() and
  // upkeep().
  void open();

  // The number of the next message; each is given once.
  uint64_t next_sequence();

  // Keeps an entry at its place in the order.
  void put(SpoolEntry entry);

  // Copies the oldest entry that is not too old; false when there is none. It waits until it is
  // removed or returned.
  bool take_oldest(SpoolEntry& entry);
  void remove_taken();
  void return_taken();

  // What is due by time alone: age limit, syncing, another try at the disk.
  void upkeep();

  // Never waits for the disk.
  SpoolState state() const;

  // What happened since the last call.
  std::vector<SpoolNotice> take_notices();

 private:
  struct Taken {
    uint64_t sequence = 0;
    uint32_t points = 0;
    bool on_disk = false;
  };

  // The place of a number behind what an earlier run left.
  uint64_t settled(uint64_t sequence) const;
  // The oldest as it is kept; becomes the taken one.
  bool take_packed(SpoolEntry& entry);
  void discard_taken();
  // Messages are kept compressed, on disk and in memory. False: damaged beyond what a checksum
  // sees, or kept by an agent that was set up otherwise.
  void pack(Message& message);
  bool unpack(Message& message) const;
  // Opens the directory where it is not open, and moves there what is in memory.
  Result<> reach_disk();
  void keep_in_memory(SpoolEntry entry);
  void settle_taken();
  bool is_taken(const SpoolEntry& entry) const;
  void drop_aged();
  void note_disk(const Result<>& outcome);
  void publish_state();

  const SpoolSettings settings_;
  const Clock& clock_;

  mutable std::mutex mutex_;
  Compressor compressor_;
  std::unique_ptr<SpoolDisk> disk_;  // null until it could be opened
  std::deque<SpoolEntry> memory_;    // by number
  uint64_t last_;                    // the last number given
  uint64_t found_ = 0;               // the last number of an earlier run
  std::optional<Taken> taken_;
  bool unwritable_ = false;
  SinkDrops drops_;
  std::vector<SpoolNotice> notices_;

  mutable std::mutex state_mutex_;  // held for a copy only
  SpoolState state_;
};

}  // namespace warpsight
