#include "history/retention.h"

#include <chrono>

#include "history/coarsen.h"

namespace warpsight {
namespace {

constexpr uint64_t kFullShare = 3;  // one part in so many is never given up for coarser values

int64_t ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

Result<OldestKept> oldest_kept(Database& database) {
  const auto full = database.number("SELECT first FROM blocks ORDER BY id LIMIT 1");
  if (!full) return tl::unexpected(full.error());
  const auto coarse = database.number("SELECT first FROM coarse_blocks ORDER BY id LIMIT 1");
  if (!coarse) return tl::unexpected(coarse.error());
  return OldestKept{.full = *full, .coarse = *coarse * kCoarseMs};
}

Result<> Retention::drop_oldest(Level level) {
  const bool full = level == Level::full;
  const auto id =
      database_.number(full ? "SELECT min(id) FROM blocks" : "SELECT min(id) FROM coarse_blocks");
  if (!id) return tl::unexpected(id.error());
  Transaction transaction(database_, Transaction::Kind::write);
  if (!transaction.begun()) return transaction.begun();
  Statement rows(database_,
                 full ? "DELETE FROM chunks WHERE key < ?1" : "DELETE FROM coarse WHERE key < ?1");
  if (auto gone = rows.bind(1, chunk_key(*id + 1, 0)).run(); !gone) return gone;
  Statement block(database_, full ? "DELETE FROM blocks WHERE id = ?1"
                                  : "DELETE FROM coarse_blocks WHERE id = ?1");
  if (auto gone = block.bind(1, *id).run(); !gone) return gone;
  return transaction.commit();
}

Result<bool> Retention::coarsen_if_due(int64_t now) {
  const auto until = coarse_until(database_);
  if (!until) return tl::unexpected(until.error());
  const auto newest = database_.number("SELECT last FROM blocks ORDER BY id DESC LIMIT 1");
  if (!newest) return tl::unexpected(newest.error());
  const auto oldest = oldest_kept(database_);
  if (!oldest) return tl::unexpected(oldest.error());
  const bool aged = oldest->full != 0 && oldest->full < now - ms(settings_.full_for);
  const bool overdue = aged && oldest->full >= *until;
  if (*newest - *until < kCoarseBlockMs && !overdue) return false;
  if (auto made = coarsen(database_, budget_.log / 4); !made) return tl::unexpected(made.error());
  return true;
}

Result<> Retention::expire_events(int64_t now) {
  Statement aged(database_, "DELETE FROM events WHERE time < ?1");
  const int64_t cutoff = (now - ms(settings_.kept_for)) * 1'000'000;
  if (auto gone = aged.bind(1, cutoff).run(); !gone) return gone;
  Statement many(database_, "DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?1");
  return many.bind(1, kMostEvents).run();
}

Result<> Retention::expire(int64_t now) {
  if (auto gone = expire_events(now); !gone) return gone;
  if (auto made = coarsen_if_due(now); !made) return tl::unexpected(made.error());
  const auto until = coarse_until(database_);
  if (!until) return tl::unexpected(until.error());
  // A block that is not brought together yet is kept: it is in the making.
  for (;;) {
    Statement oldest(database_, "SELECT last FROM blocks ORDER BY id LIMIT 1");
    if (!oldest.next()) break;
    const int64_t last = oldest.number(0);
    oldest.again();
    if (last >= now - ms(settings_.full_for) || last >= *until) break;
    if (auto gone = drop_oldest(Level::full); !gone) return gone;
  }
  for (;;) {
    Statement oldest(database_, "SELECT first + bins FROM coarse_blocks ORDER BY id LIMIT 1");
    if (!oldest.next()) break;
    const int64_t end = oldest.number(0) * kCoarseMs;
    oldest.again();
    if (end >= now - ms(settings_.kept_for)) break;
    if (auto gone = drop_oldest(Level::coarse); !gone) return gone;
  }
  return shrink(database_, budget_);
}

Result<> Retention::make_room(uint64_t bytes) {
  for (bool coarsened = false;;) {
    const auto used = used_bytes(database_);
    if (!used) return tl::unexpected(used.error());
    if (*used + bytes + bytes / 4 <= budget_.database) return {};
    const auto full = database_.number("SELECT sum(bytes) FROM blocks");
    if (!full) return tl::unexpected(full.error());
    const auto coarse = database_.number("SELECT count(*) FROM coarse_blocks");
    if (!coarse) return tl::unexpected(coarse.error());
    if (*full == 0 && *coarse == 0) return {};
    const bool give_full =
        *coarse == 0 || static_cast<uint64_t>(*full) > budget_.database / kFullShare;
    const auto until = coarse_until(database_);
    const auto last = database_.number("SELECT last FROM blocks ORDER BY id LIMIT 1");
    if (!until || !last) return tl::unexpected(!until ? until.error() : last.error());
    if (give_full && *last >= *until && !coarsened) {
      coarsened = true;
      // Without room for it either, the block goes as it is.
      if (coarsen(database_, budget_.log / 4)) continue;
    }
    if (auto gone = drop_oldest(give_full ? Level::full : Level::coarse); !gone) return gone;
  }
}

Result<int64_t> Retention::forget_series(int64_t oldest) {
  Statement forget(database_, "DELETE FROM series WHERE last > 0 AND last < ?1");
  if (auto gone = forget.bind(1, oldest).run(); !gone) return tl::unexpected(gone.error());
  return database_.number("SELECT changes()");
}

}  // namespace warpsight
