#include "history/memory.h"

#include <utility>

namespace warpsight {

Memory::Parts Memory::parts(std::span<const uint32_t> series) const {
  const std::lock_guard lock(mutex_);
  Parts parts;
  if (!blocks_.empty()) parts.first_block = blocks_.front().id();
  for (const Block& block : blocks_) {
    Part& part = parts.parts.emplace_back();
    part.times = block.times();
    for (const uint32_t id : series) block.write_chunk(id, part.chunks.emplace_back());
  }
  return parts;
}

Memory::Events Memory::events() const {
  const std::lock_guard lock(mutex_);
  return {.first_id = events_.empty() ? INT64_MAX : events_.front().id, .events = events_};
}

std::vector<SeriesRow> Memory::new_series() const {
  const std::lock_guard lock(mutex_);
  return series_;
}

std::unordered_set<uint32_t> Memory::revivals() const {
  const std::lock_guard lock(mutex_);
  return revivals_;
}

Memory::Sight Memory::sight() const {
  const std::lock_guard lock(mutex_);
  Sight sight;
  for (const Block& block : blocks_) {
    const auto& times = block.times();
    if (times.empty()) continue;
    if (sight.first_time == 0) sight.first_time = times.front();
    sight.last_time = times.back();
    if (times.size() > 1) sight.interval = times.back() - times[times.size() - 2];
  }
  return sight;
}

void Memory::add_block(int64_t id) {
  const std::lock_guard lock(mutex_);
  blocks_.emplace_back(id);
}

void Memory::drop_oldest_block() {
  const std::lock_guard lock(mutex_);
  blocks_.pop_front();
}

void Memory::add_series(SeriesRow row) {
  const std::lock_guard lock(mutex_);
  series_.push_back(std::move(row));
}

void Memory::revive(uint32_t series) {
  const std::lock_guard lock(mutex_);
  revivals_.insert(series);
}

void Memory::add_event(EventRow row) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(row));
}

void Memory::drop_oldest_event() {
  const std::lock_guard lock(mutex_);
  events_.erase(events_.begin());
}

void Memory::clear_series() {
  const std::lock_guard lock(mutex_);
  series_ = {};
  revivals_ = {};
}

void Memory::clear_events() {
  const std::lock_guard lock(mutex_);
  events_.clear();
}

void Memory::clear() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  series_.clear();
  revivals_.clear();
  events_.clear();
}

}  // namespace warpsight
