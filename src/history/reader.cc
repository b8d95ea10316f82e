#include "history/reader.h"

#include <unistd.h>

#include <utility>

#include "history/events.h"
#include "history/known.h"
#include "history/ranges.h"
#include "history/replay.h"

namespace warpsight {

Result<> Reader::open_locked() const {
  if (database_) return {};
  auto opened = Database::open(path_, Database::Access::read);
  auto readable = opened ? (*opened)->number("SELECT count(*) FROM sqlite_master")
                         : Result<int64_t>(tl::unexpected(opened.error()));
  // Without a writer and without the right to be one, there is no file beside it to share.
  if (!readable && memory_ == nullptr && ::access((path_ + "-wal").c_str(), F_OK) != 0) {
    opened = Database::open(path_, Database::Access::read_unchanging);
    if (opened) readable = (*opened)->number("SELECT count(*) FROM sqlite_master");
  }
  if (!readable) {
    damage_found_ |= opened && (*opened)->damaged();
    return tl::unexpected(readable.error());
  }
  if (auto set = (*opened)->execute("PRAGMA cache_size = -256; PRAGMA mmap_size = 0"); !set) {
    return set;
  }
  database_ = std::move(*opened);
  return {};
}

Result<> Reader::open() {
  const std::lock_guard lock(mutex_);
  return open_locked();
}

void Reader::close() {
  const std::lock_guard lock(mutex_);
  database_.reset();
}

void Reader::close_if_idle() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) database_.reset();
}

bool Reader::take_damage() {
  const std::lock_guard lock(mutex_);
  return std::exchange(damage_found_, false);
}

template <typename Fn>
auto Reader::with_store(Fn&& fn) const
    -> decltype(fn(std::declval<Database&>(), std::declval<Memory&>())) {
  const std::lock_guard lock(mutex_);
  if (auto opened = open_locked(); !opened) return tl::unexpected(opened.error());
  Memory flushed;
  if (memory_ == nullptr) {
    const Transaction transaction(*database_, Transaction::Kind::read);
    if (!transaction.begun()) return tl::unexpected(transaction.begun().error());
    if (auto replayed = replay(*database_, flushed); !replayed) {
      return tl::unexpected(replayed.error());
    }
  }
  auto answer = fn(*database_, memory_ == nullptr ? flushed : *memory_);
  damage_found_ |= database_->damaged();
  unreadable_ += database_->take_unreadable();
  return answer;
}

tl::expected<SeriesAnswer, QueryError> Reader::series(const SeriesQuery& query) const {
  if (auto sound = check(query); !sound) {
    return tl::unexpected(QueryError(sound.error(), QueryError::Cause::question));
  }
  return with_store([&](Database& database, const Memory& memory) {
    return read_ranges(database, memory, query);
  });
}

Result<EventAnswer> Reader::events(const EventQuery& query) const {
  return with_store([&](Database& database, const Memory& memory) {
    return read_events(database, memory, query);
  });
}

Result<std::vector<KnownSeries>> Reader::known(const std::vector<std::string>& metrics,
                                               const std::vector<Matcher>& matchers) const {
  return with_store([&](Database& database, const Memory& memory) {
    return read_known(database, memory, metrics, matchers);
  });
}

}  // namespace warpsight
