#include "history/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "history/packing.h"
#include "history/replay.h"
#include "history/retention.h"
#include "history/store_files.h"
#include "runtime/log.h"

namespace warpsight {
namespace {

constexpr size_t kMostBlocks = 3;  // in memory, the one that is being filled included
constexpr size_t kMostUnwrittenEvents = 1000;
// A clock that was set back by more than this, and stays so, was wrong before.
constexpr int64_t kWrongClockMs = 60LL * 60 * 1000;
constexpr uint32_t kWrongClockFrames = 30;
constexpr uint64_t kRowBytes = 16;  // what a row costs besides its data

}  // namespace

Writer::Writer(const HistorySettings& settings, const Clock& clock, Memory& memory,
               std::function<void()> file_replaced)
    : settings_(settings),
      budget_(settings.max_bytes),
      clock_(clock),
      memory_(memory),
      file_replaced_(std::move(file_replaced)),
      directory_(memory) {}

Result<> Writer::open() {
  auto claimed = claim(settings_.directory);
  if (!claimed) return tl::unexpected(claimed.error());
  lock_ = std::move(*claimed);
  now_ = to_ms(clock_.now());
  note(open_database());
  return {};
}

Result<> Writer::open_database() {
  OpenedStore opened = open_store(database_path(settings_.directory), budget_);
  if (!opened.database) {
    if (opened.damaged) {
      begin_anew(opened.error.message);
      return database_ ? Result<>{} : fail(state_.last_error);
    }
    return tl::unexpected(opened.error);
  }
  database_ = std::move(opened.database);
  if (auto loaded = load(); !loaded) {
    if (database_->damaged()) {
      begin_anew(loaded.error().message);
      return database_ ? Result<>{} : fail(state_.last_error);
    }
    database_.reset();
    return loaded;
  }
  if (last_time_ > now_ + kWrongClockMs) {
    begin_anew("it was written by a clock that was wrong");
    return {};
  }
  return tidy();
}

Result<> Writer::load() {
  memory_.clear();
  if (auto loaded = directory_.load(*database_); !loaded) return loaded;
  if (auto replayed = replay(*database_, memory_); !replayed) return replayed;
  const auto block = database_->number("SELECT max(id) FROM blocks");
  if (!block) return tl::unexpected(block.error());
  const auto event = database_->number("SELECT max(id) FROM events");
  if (!event) return tl::unexpected(event.error());
  const auto last = database_->number("SELECT last FROM blocks ORDER BY id DESC LIMIT 1");
  if (!last) return tl::unexpected(last.error());
  next_block_ = 1 + std::max(*block, memory_.blocks().empty() ? 0 : memory_.blocks().back().id());
  next_event_ = *event + 1;
  last_time_ = std::max(*last, memory_.sight().last_time);
  const auto confirmed = confirmed_time_of(*database_, memory_);
  if (!confirmed) return tl::unexpected(confirmed.error());
  confirmed_ = *confirmed;
  // Chunks of a block that was not finished.
  Statement unfinished(*database_, "DELETE FROM chunks WHERE key >= ?1");
  return unfinished.bind(1, chunk_key(*block + 1, 0)).run();
}

void Writer::begin_anew(std::string_view why) {
  for (const Block& block : memory_.blocks()) state_.dropped += block.samples();
  state_.dropped += memory_.unwritten_events().size();
  database_.reset();
  memory_.clear();
  all_flushed();
  slots_.clear();
  last_time_ = 0;
  backwards_ = 0;
  distrusted_ = false;
  wants_tenants_ = true;
  file_replaced_();
  const auto aside = set_database_aside(settings_.directory, from_ms(now_));
  if (!aside) {
    note(tl::unexpected(aside.error()));
    return;
  }
  state_.set_aside = *aside;
  log_warn("set the history aside and began anew", {{"file", *aside}, {"reason", why}});
  OpenedStore opened = open_store(database_path(settings_.directory), budget_);
  if (!opened.database) {
    note(tl::unexpected(opened.error));
    return;
  }
  database_ = std::move(opened.database);
  note(load());
}

bool Writer::usable() {
  if (database_ && distrusted_) begin_anew("it is damaged");
  if (!database_) {
    slots_.clear();
    wants_tenants_ = true;
    note(open_database());
  }
  return database_ != nullptr;
}

bool Writer::in_order(const Frame& frame) {
  if (frame.time > last_time_) {
    backwards_ = 0;
    return true;
  }
  state_.dropped += frame.values.size();
  log_limited(LogLevel::warn, settings_.directory, "a publish is not newer than the one before",
              {{"behind", std::chrono::milliseconds{last_time_ - frame.time}}});
  const bool wrong = last_time_ - frame.time > kWrongClockMs;
  backwards_ = wrong ? backwards_ + 1 : 0;
  if (backwards_ == kWrongClockFrames) begin_anew("it was written by a clock that was wrong");
  return false;
}

void Writer::take_tenants(const Frame& frame) {
  for (const Frame::Tenant& tenant : frame.tenants) {
    if (tenant.slot >= slots_.size()) slots_.resize(tenant.slot + 1);
    const auto number = directory_.number_of(*database_, tenant.identity, frame.time);
    if (!number) note(tl::unexpected(number.error()));
    const uint32_t series = number ? number->value_or(0) : 0;
    wants_tenants_ |= series == 0;
    slots_[tenant.slot] = {series, precision_of(tenant.identity.kind)};
  }
}

void Writer::take_events(const Frame& frame) {
  for (const KeptEvent& event : frame.events) {
    if (memory_.unwritten_events().size() >= kMostUnwrittenEvents) {
      memory_.drop_oldest_event();
      ++state_.dropped;
    }
    memory_.add_event({next_event_++, event});
  }
}

// Its tenant was away for a whole block, and came back before the registry forgot it.
void Writer::put_back(Slot& slot) {
  const auto known = directory_.revive(*database_, slot.series);
  if (!known) note(tl::unexpected(known.error()));
  slot.ended = false;
  if (known.value_or(false)) return;
  slot.series = 0;
  wants_tenants_ = true;
}

void Writer::append(const Frame& frame) {
  for (const Frame::Value& value : frame.values) {
    if (value.slot < slots_.size() && slots_[value.slot].ended) put_back(slots_[value.slot]);
  }
  const auto& blocks = memory_.blocks();
  if (blocks.empty() || blocks.back().full()) memory_.add_block(next_block_++);
  if (unflushed_.full()) {
    // The disk has taken nothing for that long. What is left of it is in the blocks.
    unflushed_ = Block();
    flush_whole_block_ = true;
  }
  unflushed_.begin_frame(frame.time);
  memory_.change_newest([&](Block& newest) {
    newest.begin_frame(frame.time);
    for (const Frame::Value& value : frame.values) {
      const Slot slot = value.slot < slots_.size() ? slots_[value.slot] : Slot{};
      if (slot.series == 0) {
        ++state_.dropped;
        continue;
      }
      const bool taken = newest.append(slot.series, slot.precision, value.value);
      if (!taken && std::isfinite(value.value)) ++state_.dropped;
      unflushed_.append(slot.series, slot.precision, value.value);
    }
    if (newest.full()) newest.sort_columns();
  });
  last_time_ = frame.time;
  confirmed_.see(frame.time);
}

void Writer::take(const Frame& frame) {
  now_ = frame.time;
  if (!usable()) {
    state_.dropped += frame.values.size() + frame.events.size();
    return;
  }
  take_tenants(frame);
  take_events(frame);
  if (!in_order(frame)) return;
  append(frame);
  if (flush_is_due()) flush();
}

bool Writer::flush_is_due() const {
  const auto& times = unflushed_.times();
  if (times.empty()) return false;
  if (memory_.blocks().back().full()) return true;
  const int64_t interval = times.size() > 1 ? times.back() - times[times.size() - 2] : 0;
  return std::chrono::milliseconds{times.back() - times.front() + interval} >=
         settings_.flush_interval;
}

void Writer::flush() {
  if (!database_) return;
  note(write_all());
  if (database_->damaged()) distrusted_ = true;
  drop_what_is_too_much();
}

void Writer::close() {
  database_.reset();
  lock_.reset();
}

Result<> Writer::write_all() {
  const bool full = !memory_.blocks().empty() && memory_.blocks().front().full();
  if (!full) return write_recent();
  if (auto written = write_full_blocks(); !written) return written;
  if (auto tidied = tidy(); !tidied) return tidied;
  return write_recent();
}

Result<> Writer::write_news() {
  if (auto written = directory_.write(*database_); !written) return written;
  Statement insert(*database_,
                   "INSERT OR REPLACE INTO events(id, time, name, severity, message, attributes) "
                   "VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
  for (const EventRow& row : memory_.unwritten_events()) {
    const std::string attributes = pack_attributes(row.event.attributes);
    insert.bind(1, row.id).bind(2, row.event.time.time_since_epoch().count());
    insert.bind_text(3, row.event.name).bind(4, static_cast<int64_t>(row.event.severity));
    insert.bind_text(5, row.event.message).bind_bytes(6, attributes);
    if (auto written = insert.run(); !written) return written;
  }
  return {};
}

Result<> Writer::write_recent() {
  const bool news = !memory_.unwritten_series().empty() || !memory_.unwritten_events().empty();
  if (unflushed_.empty() && !news) return {};
  // Frames that were flushed before are told apart by their time.
  const Block& frames = flush_whole_block_ ? memory_.blocks().back() : unflushed_;
  const std::string batch = unflushed_.empty() ? std::string() : encode_batch(frames);
  Retention retention(*database_, settings_, budget_);
  if (auto room = retention.make_room(batch.size()); !room) return room;
  Transaction transaction(*database_, Transaction::Kind::write);
  if (!transaction.begun()) return transaction.begun();
  if (auto written = write_news(); !written) return written;
  if (!unflushed_.empty()) {
    Statement insert(*database_, "INSERT INTO recent(block, data) VALUES(?1, ?2)");
    insert.bind(1, memory_.blocks().back().id()).bind_bytes(2, batch);
    if (auto written = insert.run(); !written) return written;
  }
  if (auto committed = transaction.commit(); !committed) return committed;
  directory_.written();
  memory_.clear_events();
  all_flushed();
  return {};
}

void Writer::all_flushed() {
  unflushed_ = Block();
  flush_whole_block_ = false;
}

Result<> Writer::write_full_blocks() {
  while (!memory_.blocks().empty() && memory_.blocks().front().full()) {
    if (auto written = write_oldest_block(); !written) return written;
  }
  return {};
}

Result<> Writer::write_chunks(const Block& block, uint64_t& bytes) {
  const auto& columns = block.columns();
  size_t next = 0;
  while (next < columns.size()) {
    Transaction transaction(*database_, Transaction::Kind::write);
    if (!transaction.begun()) return transaction.begun();
    Statement insert(*database_, "INSERT OR REPLACE INTO chunks(key, data) VALUES(?1, ?2)");
    std::string data;
    for (const uint64_t enough = bytes + budget_.log / 4; next < columns.size() && bytes < enough;
         ++next) {
      data.clear();
      columns[next].values.write_to(data);
      insert.bind(1, chunk_key(block.id(), columns[next].series)).bind_bytes(2, data);
      if (auto written = insert.run(); !written) return written;
      bytes += data.size() + kRowBytes;
    }
    if (auto committed = transaction.commit(); !committed) return committed;
  }
  return {};
}

Result<> Writer::write_oldest_block() {
  const Block& block = memory_.blocks().front();
  uint64_t expected = 0;
  for (const Block::Column& column : block.columns()) expected += column.values.size() + kRowBytes;
  Retention retention(*database_, settings_, budget_);
  if (auto room = retention.make_room(expected); !room) return room;
  uint64_t bytes = 0;
  if (auto written = write_chunks(block, bytes); !written) return written;

  Transaction transaction(*database_, Transaction::Kind::write);
  if (!transaction.begun()) return transaction.begun();
  if (auto written = write_news(); !written) return written;
  if (auto written = directory_.write_ends(*database_); !written) return written;
  std::string times;
  pack_times(times, block.times());
  Statement insert(*database_,
                   "INSERT INTO blocks(id, first, last, times, bytes) VALUES(?1, ?2, ?3, ?4, ?5)");
  insert.bind(1, block.id()).bind(2, block.times().front()).bind(3, block.times().back());
  insert.bind_bytes(4, times).bind(5, static_cast<int64_t>(bytes));
  if (auto written = insert.run(); !written) return written;
  Statement flushed(*database_, "DELETE FROM recent WHERE block <= ?1");
  if (auto gone = flushed.bind(1, block.id()).run(); !gone) return gone;
  if (auto committed = transaction.commit(); !committed) return committed;

  directory_.written();
  directory_.ends_written();
  mark_ended();
  memory_.clear_events();
  if (memory_.blocks().size() == 1) all_flushed();
  memory_.drop_oldest_block();
  return {};
}

void Writer::mark_ended() {
  for (Slot& slot : slots_) slot.ended = slot.series != 0 && !directory_.is_live(slot.series);
}

Result<> Writer::tidy() {
  Retention retention(*database_, settings_, budget_);
  if (auto expired = retention.expire(confirmed_.value()); !expired) return expired;
  const auto oldest = oldest_kept(*database_);
  if (!oldest) return tl::unexpected(oldest.error());
  state_.oldest_full = oldest->full;
  state_.oldest = oldest->coarse != 0 && (oldest->full == 0 || oldest->coarse < oldest->full)
                      ? oldest->coarse
                      : oldest->full;
  const int64_t kept = state_.oldest != 0 ? state_.oldest : memory_.sight().first_time;
  if (kept == 0) return {};
  const auto forgotten = retention.forget_series(kept);
  if (!forgotten) return tl::unexpected(forgotten.error());
  directory_.forgotten(static_cast<size_t>(*forgotten));
  return {};
}

void Writer::drop_what_is_too_much() {
  while (memory_.blocks().size() >= kMostBlocks && memory_.blocks().back().full()) {
    state_.dropped += memory_.blocks().front().samples();
    memory_.drop_oldest_block();
  }
}

void Writer::note(const Result<>& outcome) {
  state_.series = directory_.size();
  if (database_) state_.damaged += database_->take_unreadable();
  state_.up = outcome.has_value();
  if (outcome) {
    if (!state_.last_error.empty()) log_info("the history is written again");
    state_.last_error.clear();
    return;
  }
  state_.last_error = describe(outcome.error());
  log_limited(LogLevel::warn, settings_.directory, "cannot write the history",
              {{"error", state_.last_error}});
}

}  // namespace warpsight
