// Which series a page's lines are, remembered from scrape to scrape. A series is the bytes of its
// line up to the value, so the same labels in another order are another series. What is known needs
// no second look at its labels: where a page keeps its order, as pages do, one comparison of bytes
// tells; else a hash finds it and the bytes confirm.
//
// A scrape of known series takes no memory from the heap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {

struct SeriesLimits {
  uint32_t series = 20'000;
  uint32_t bytes = 16U << 20U;  // of all names and labels together; at most 2^31
};

class SeriesIndex {
 public:
  using Id = uint32_t;  // dense: below capacity(); given again after forget()

  struct Found {
    Id id;
    bool added;
  };

  explicit SeriesIndex(SeriesLimits limits = {});

  // The lines of one scrape go between these. What follows an unfinished scrape starts anew.
  void begin_scrape();
  void end_scrape();

  // The series that stood at this place of the last scrape, if the text at `at` begins with it;
  // null otherwise. The answer is where the text goes on, and `id` is set. See take_expected().
  const char* match_expected(const char* at, const char* end, Id& id) const {
    if (expected_ >= order_.size()) return nullptr;
    const Id candidate = order_[expected_];
    const Entry& entry = entries_[candidate];
    if (entry.size == 0 || static_cast<size_t>(end - at) < entry.size) return nullptr;
    if (!same_bytes(at, bytes_.data() + entry.offset, entry.size)) return nullptr;
    id = candidate;
    return at + entry.size;
  }

  // The line was what match_expected() found. While each line is, nothing is written down.
  void take_expected() {
    if (changed_) see(order_[expected_]);
    ++expected_;
  }

  // A series wherever it stands, added if it is new. Nothing when the limits leave no room.
  std::optional<Found> find_or_add(std::string_view series);

  // Those known when the last scrape ended that it did not have, in no order. Good until the next
  // begin_scrape().
  std::span<const Id> missing() const { return missing_; }

  // Leaves a series out of memory; its id may be given to another.
  void forget(Id id);

  std::string_view series(Id id) const {
    return {bytes_.data() + entries_[id].offset, entries_[id].size};
  }

  size_t size() const { return live_; }
  size_t capacity() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t hash = 0;
    uint32_t offset = 0;
    uint32_t size = 0;   // 0: the id is free
    uint32_t seen = 0;   // the last order that has it
    uint32_t place = 0;  // in that order
  };

  void see(Id id) {
    Entry& entry = entries_[id];
    entry.seen = scrape_;
    entry.place = static_cast<uint32_t>(next_order_.size());
    next_order_.push_back(id);
  }

  void begin_change();
  size_t slot_of(std::string_view series, uint64_t hash) const;
  Id add(std::string_view series, uint64_t hash, size_t slot);
  void grow_table();
  void compact();

  SeriesLimits limits_;
  uint64_t seed_;
  std::vector<Entry> entries_;   // by id
  std::vector<Id> free_;         // ids to give again
  std::vector<uint32_t> table_;  // id + 1, open addressing, a power of two
  std::string bytes_;            // of all series
  size_t garbage_ = 0;           // of bytes_, left by forgotten series
  std::vector<Id> order_;        // of the last scrape
  std::vector<Id> next_order_;   // of this one, once it differs
  std::vector<Id> missing_;
  size_t expected_ = 0;   // in order_
  bool changed_ = false;  // this scrape differs from the last
  uint32_t scrape_ = 0;   // counts orders
  size_t live_ = 0;
};

}  // namespace warpsight::prometheus_text
