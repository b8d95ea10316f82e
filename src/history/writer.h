// Puts frames into the database: compressed in memory, flushed every flush interval, written in
// blocks. Whatever the disk does, it goes on with the next frame.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/confirmed_time.h"
#include "history/frame.h"
#include "history/history.h"
#include "history/memory.h"
#include "history/series_directory.h"
#include "history/store.h"
#include "platform/fd.h"

namespace warpsight {

// One thread at a time, but for the memory.
class Writer {
 public:
  struct State {
    bool up = false;
    std::string last_error;
    std::string set_aside;
    uint64_t dropped = 0;  // samples and events
    uint64_t damaged = 0;  // records that did not decode
    uint64_t series = 0;
    int64_t oldest = 0;  // milliseconds; of what is written
    int64_t oldest_full = 0;
  };

  // `file_replaced` is called when the database is another file from now on.
  Writer(const HistorySettings& settings, const Clock& clock, Memory& memory,
         std::function<void()> file_replaced);

  // Fails when there is nowhere to write, or another agent does.
  Result<> open();

  void take(const Frame& frame);
  // Writes what waits.
  void flush();
  // Lets go of the file; nothing may be taken afterwards.
  void close();
  // Somebody found what no sound database has: it is set aside at the next frame.
  void distrust() { distrusted_ = true; }
  // Every tenant of a slot is to be told again, once.
  bool wants_tenants() { return std::exchange(wants_tenants_, false); }

  const State& state() const { return state_; }

 private:
  struct Slot {
    uint32_t series = 0;  // zero: none
    Precision precision = Precision::exact;
    bool ended = false;  // as far as is written
  };

  Result<> open_database();
  Result<> load();
  void begin_anew(std::string_view why);
  bool usable();
  bool in_order(const Frame& frame);
  void take_tenants(const Frame& frame);
  void take_events(const Frame& frame);
  void put_back(Slot& slot);
  void append(const Frame& frame);
  bool flush_is_due() const;
  Result<> write_all();
  Result<> write_recent();
  Result<> write_news();
  Result<> write_full_blocks();
  Result<> write_oldest_block();
  Result<> write_chunks(const Block& block, uint64_t& bytes);
  void mark_ended();
  Result<> tidy();
  void all_flushed();
  void note(const Result<>& outcome);
  void drop_what_is_too_much();

  HistorySettings settings_;
  StoreBudget budget_;
  const Clock& clock_;
  Memory& memory_;
  std::function<void()> file_replaced_;
  Fd lock_;
  std::unique_ptr<Database> database_;
  SeriesDirectory directory_;
  std::vector<Slot> slots_;
  Block unflushed_;                 // the newest frames once more
  bool flush_whole_block_ = false;  // unflushed_ does not hold all of them
  int64_t next_block_ = 1;
  int64_t next_event_ = 1;
  int64_t last_time_ = 0;
  ConfirmedTime confirmed_;
  int64_t now_ = 0;         // of the newest frame, or when it was opened
  uint32_t backwards_ = 0;  // frames running that came from long before the last
  bool distrusted_ = false;
  bool wants_tenants_ = false;
  State state_;
};

}  // namespace warpsight
