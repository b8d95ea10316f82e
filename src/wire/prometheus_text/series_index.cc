#include "wire/prometheus_text/series_index.h"

#include <bit>
#include <chrono>

#include "wire/prometheus_text/series_hash.h"

namespace warpsight::prometheus_text {
namespace {

constexpr size_t kFirstTable = 64;
constexpr size_t kGarbageWorthCollecting = size_t{64} << 10U;

// Differs between processes and between indexes: neither the clock nor the address is foreseen.
uint64_t seed_for(const void* self) {
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  return detail::fold(std::bit_cast<uint64_t>(self) ^ 0x9e3779b97f4a7c15,
                      static_cast<uint64_t>(ticks) | 1U);
}

}  // namespace

SeriesIndex::SeriesIndex(SeriesLimits limits)
    : limits_(limits), seed_(seed_for(this)), table_(kFirstTable) {}

void SeriesIndex::begin_scrape() {
  std::erase_if(missing_, [&](Id id) { return entries_[id].size == 0; });
  expected_ = 0;
  changed_ = false;
}

// From here on the scrape writes an order of its own; what it had so far was as expected.
void SeriesIndex::begin_change() {
  changed_ = true;
  ++scrape_;
  next_order_.clear();
  for (size_t i = 0; i < expected_; ++i) see(order_[i]);
}

void SeriesIndex::end_scrape() {
  if (!changed_ && expected_ == order_.size()) return;
  if (!changed_) begin_change();
  order_.swap(next_order_);
  missing_.clear();
  for (Id id = 0; id < entries_.size(); ++id) {
    if (entries_[id].size > 0 && entries_[id].seen != scrape_) missing_.push_back(id);
  }
  if (garbage_ > kGarbageWorthCollecting && garbage_ > bytes_.size() / 2) compact();
}

// Where the series is in the table, or the free place where it belongs.
size_t SeriesIndex::slot_of(std::string_view series, uint64_t hash) const {
  const size_t mask = table_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (table_[slot] == 0) return slot;
    const Id id = table_[slot] - 1;
    if (entries_[id].hash == hash && this->series(id) == series) return slot;
  }
}

std::optional<SeriesIndex::Found> SeriesIndex::find_or_add(std::string_view series) {
  const uint64_t hash = series_hash(series, seed_);
  const size_t slot = slot_of(series, hash);
  const bool known = table_[slot] != 0;
  if (!known && (live_ >= limits_.series || series.empty() ||
                 series.size() > limits_.bytes - (bytes_.size() - garbage_))) {
    return std::nullopt;
  }
  if (!changed_) begin_change();
  const Id id = known ? table_[slot] - 1 : add(series, hash, slot);
  // What follows it in the last scrape is expected to follow it in this one.
  if (known && entries_[id].seen + 1 == scrape_) expected_ = entries_[id].place + size_t{1};
  see(id);
  return Found{id, !known};
}

SeriesIndex::Id SeriesIndex::add(std::string_view series, uint64_t hash, size_t slot) {
  if (bytes_.size() + series.size() > size_t{limits_.bytes} * 2) compact();
  Id id = static_cast<Id>(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  entries_[id] = {.hash = hash,
                  .offset = static_cast<uint32_t>(bytes_.size()),
                  .size = static_cast<uint32_t>(series.size()),
                  .seen = 0,
                  .place = 0};
  bytes_.append(series);
  table_[slot] = id + 1;
  ++live_;
  if (live_ * 2 > table_.size()) grow_table();
  return id;
}

void SeriesIndex::grow_table() {
  table_.assign(table_.size() * 2, 0);
  const size_t mask = table_.size() - 1;
  for (Id id = 0; id < entries_.size(); ++id) {
    if (entries_[id].size == 0) continue;
    size_t slot = entries_[id].hash & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = id + 1;
  }
}

void SeriesIndex::forget(Id id) {
  if (id >= entries_.size() || entries_[id].size == 0) return;
  const size_t mask = table_.size() - 1;
  size_t hole = slot_of(series(id), entries_[id].hash);
  // What a lookup would no longer reach past the hole moves into it.
  for (size_t slot = (hole + 1) & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
    const size_t home = entries_[table_[slot] - 1].hash & mask;
    if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
    table_[hole] = table_[slot];
    hole = slot;
  }
  table_[hole] = 0;
  garbage_ += entries_[id].size;
  entries_[id] = {};
  free_.push_back(id);
  --live_;
}

// Bytes in the order of the last scrape, so that the next reads them from front to back.
void SeriesIndex::compact() {
  std::string packed;
  packed.reserve(bytes_.size() - garbage_);
  std::vector<bool> moved(entries_.size());
  const auto move = [&](Id id) {
    if (moved[id] || entries_[id].size == 0) return;
    moved[id] = true;
    const auto offset = static_cast<uint32_t>(packed.size());
    packed.append(series(id));
    entries_[id].offset = offset;
  };
  for (const Id id : order_) move(id);
  for (Id id = 0; id < entries_.size(); ++id) move(id);
  bytes_.swap(packed);
  garbage_ = 0;
}

}  // namespace warpsight::prometheus_text
