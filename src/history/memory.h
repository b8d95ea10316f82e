// What was recorded and is not in the database yet: blocks, series met for the first time, events.
// One thread writes; others look.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "history/block.h"
#include "history/identity.h"
#include "history/query.h"

namespace warpsight {

struct EventRow {
  int64_t id = 0;
  KeptEvent event;
};

class Memory {
 public:
  // The chunks of some series in one block, in the order they were asked for; empty: none.
  struct Part {
    std::vector<int64_t> times;
    std::vector<std::string> chunks;
  };
  struct Parts {
    int64_t first_block = INT64_MAX;  // from here on, the database is not to be asked
    std::vector<Part> parts;
  };
  struct Events {
    int64_t first_id = INT64_MAX;  // from here on, the database is not to be asked
    std::vector<EventRow> events;  // oldest first
  };
  struct Sight {
    int64_t first_time = 0;  // zero: there is nothing
    int64_t last_time = 0;
    int64_t interval = 0;  // of the newest frames; zero: not known
  };

  Parts parts(std::span<const uint32_t> series) const;
  Events events() const;
  std::vector<SeriesRow> new_series() const;
  // Series that go on after the end that is written.
  std::unordered_set<uint32_t> revivals() const;
  Sight sight() const;

  // For the one that writes. What these give is valid until the next change.
  const std::deque<Block>& blocks() const { return blocks_; }
  const std::vector<SeriesRow>& unwritten_series() const { return series_; }
  const std::unordered_set<uint32_t>& unwritten_revivals() const { return revivals_; }
  const std::vector<EventRow>& unwritten_events() const { return events_; }

  // Calls fn(Block&) with the newest block, while nobody looks.
  template <typename Fn>
  void change_newest(Fn&& fn) {
    const std::lock_guard lock(mutex_);
    fn(blocks_.back());
  }
  void add_block(int64_t id);
  void drop_oldest_block();
  void add_series(SeriesRow row);
  void revive(uint32_t series);
  void add_event(EventRow row);
  void drop_oldest_event();
  // And revivals.
  void clear_series();
  void clear_events();
  void clear();

 private:
  mutable std::mutex mutex_;
  std::deque<Block> blocks_;  // by number
  std::vector<SeriesRow> series_;
  std::unordered_set<uint32_t> revivals_;
  std::vector<EventRow> events_;
};

}  // namespace warpsight
