#include "runtime/spool.h"

#include <algorithm>
#include <utility>

namespace warpsight {
namespace {

// Numbers given before the directory could be read lie above it: they are younger than all there.
constexpr uint64_t kProvisional = 2 * kLastSequence;

}  // namespace

Spool::Spool(SpoolSettings settings, const Clock& clock)
    : settings_(std::move(settings)),
      clock_(clock),
      compressor_(settings_.compression),
      last_(kProvisional) {}

void Spool::open() {
  const std::lock_guard lock(mutex_);
  note_disk(reach_disk());
  publish_state();
}

uint64_t Spool::next_sequence() {
  const std::lock_guard lock(mutex_);
  return ++last_;
}

uint64_t Spool::settled(uint64_t sequence) const {
  return sequence >= kProvisional ? found_ + (sequence - kProvisional) : sequence;
}

Result<> Spool::reach_disk() {
  if (!disk_) {
    auto opened = SpoolDisk::open(settings_, clock_, notices_, drops_);
    if (!opened) return tl::unexpected(opened.error());
    disk_ = std::move(*opened);
    found_ = disk_->last_sequence();
    last_ = settled(last_);
    for (SpoolEntry& entry : memory_) entry.sequence = settled(entry.sequence);
    if (taken_) taken_->sequence = settled(taken_->sequence);
  }
  for (auto it = memory_.begin(); it != memory_.end();) {
    if (is_taken(*it)) {
      ++it;
      continue;
    }
    if (auto kept = disk_->append(*it); !kept) return kept;
    it = memory_.erase(it);
  }
  return {};
}

void Spool::pack(Message& message) {
  if (settings_.compression == Compression::none) return;
  // Without memory for it the message stays as it is, and is lost as damaged when it is taken.
  if (const auto packed = compressor_.encode(message.bytes); packed) message.bytes = *packed;
}

bool Spool::unpack(Message& message) const {
  if (settings_.compression == Compression::none) return true;
  auto bytes = decompress(settings_.compression, message.bytes, kLargestMessage);
  if (bytes) message.bytes = std::move(*bytes);
  return bytes.has_value();
}

void Spool::put(SpoolEntry entry) {
  const std::lock_guard lock(mutex_);
  pack(entry.message);
  Result<> outcome = reach_disk();
  if (disk_) entry.sequence = settled(entry.sequence);
  if (outcome) outcome = disk_->append(entry);
  if (!outcome) keep_in_memory(std::move(entry));
  note_disk(outcome);
  publish_state();
}

void Spool::keep_in_memory(SpoolEntry entry) {
  const auto place = std::ranges::upper_bound(memory_, entry.sequence, {}, &SpoolEntry::sequence);
  memory_.insert(place, std::move(entry));
  size_t bytes = 0;
  for (const SpoolEntry& held : memory_) bytes += held.message.bytes.size();
  auto oldest = memory_.begin();
  while (oldest != memory_.end() &&
         (memory_.size() > kMessagesInMemory || bytes > kBytesInMemory)) {
    if (is_taken(*oldest)) {
      ++oldest;
      continue;
    }
    drops_[DropReason::no_disk] += oldest->message.points;
    bytes -= oldest->message.bytes.size();
    oldest = memory_.erase(oldest);
  }
}

void Spool::note_disk(const Result<>& outcome) {
  if (outcome.has_value() != unwritable_) return;
  unwritable_ = !outcome;
  notices_.push_back(
      {.kind = outcome ? SpoolNotice::Kind::writable : SpoolNotice::Kind::unwritable,
       .message = outcome ? "the spool takes messages again" : describe(outcome.error())});
}

void Spool::settle_taken() {
  // Its segment was dropped while it was out, and nobody took it.
  if (taken_ && taken_->on_disk && disk_->lost()) {
    drops_[DropReason::spool_full] += taken_->points;
  }
  if (disk_) disk_->forget();
  taken_.reset();
}

void Spool::drop_aged() {
  const Time now = clock_.now();
  if (disk_) disk_->drop_aged(now);
  while (!memory_.empty() && now - memory_.front().time > settings_.age &&
         !is_taken(memory_.front())) {
    drops_[DropReason::spool_age] += memory_.front().message.points;
    memory_.pop_front();
  }
}

bool Spool::is_taken(const SpoolEntry& entry) const {
  return taken_ && !taken_->on_disk && taken_->sequence == entry.sequence;
}

bool Spool::take_oldest(SpoolEntry& entry) {
  const std::lock_guard lock(mutex_);
  settle_taken();
  drop_aged();
  bool found = take_packed(entry);
  while (found && !unpack(entry.message)) {
    drops_[DropReason::corrupt] += entry.message.points;
    discard_taken();
    found = take_packed(entry);
  }
  publish_state();
  return found;
}

bool Spool::take_packed(SpoolEntry& entry) {
  const auto memory_first = [&] {
    return !memory_.empty() && (!disk_ || disk_->front() == nullptr ||
                                memory_.front().sequence < disk_->front()->sequence);
  };
  bool found = false;
  bool on_disk = false;
  if (!memory_first() && disk_) found = on_disk = disk_->read_front(entry);
  if (!found && !memory_.empty()) {
    entry = memory_.front();
    found = true;
  }
  if (found) taken_ = Taken{entry.sequence, entry.message.points, on_disk};
  return found;
}

void Spool::remove_taken() {
  const std::lock_guard lock(mutex_);
  discard_taken();
  publish_state();
}

void Spool::discard_taken() {
  if (!taken_) return;
  if (taken_->on_disk) {
    disk_->pop();
  } else {
    const uint64_t sequence = taken_->sequence;
    std::erase_if(memory_, [&](const SpoolEntry& held) { return held.sequence == sequence; });
  }
  taken_.reset();
}

void Spool::return_taken() {
  const std::lock_guard lock(mutex_);
  settle_taken();
  publish_state();
}

void Spool::upkeep() {
  const std::lock_guard lock(mutex_);
  if (!disk_ || !memory_.empty()) note_disk(reach_disk());
  drop_aged();
  if (disk_) disk_->sync_if_due();
  publish_state();
}

SpoolState Spool::state() const {
  const std::lock_guard lock(state_mutex_);
  return state_;
}

std::vector<SpoolNotice> Spool::take_notices() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notices_, {});
}

void Spool::publish_state() {
  SpoolState state{.drops = drops_};
  const RecordHeader* front = disk_ ? disk_->front() : nullptr;
  state.empty = front == nullptr && memory_.empty();
  if (disk_) {
    state.bytes = disk_->bytes();
    state.points = disk_->points();
  }
  for (const SpoolEntry& held : memory_) {
    state.bytes += held.message.bytes.size();
    state.points += held.message.points;
  }
  if (front != nullptr) state.oldest = front->time;
  if (!memory_.empty() && (front == nullptr || memory_.front().sequence < front->sequence)) {
    state.oldest = memory_.front().time;
  }
  const std::lock_guard lock(state_mutex_);
  state_ = state;
}

}  // namespace warpsight
