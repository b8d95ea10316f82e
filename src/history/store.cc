#include "history/store.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpsight {
namespace {

constexpr int64_t kVersion = 1;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kMinLog = uint64_t{512} << 10;
constexpr uint64_t kMaxLog = uint64_t{8} << 20;
constexpr uint64_t kLogShare = 8;  // one part in so many
constexpr int64_t kManyFreePages = 2048;
constexpr int64_t kPagesAtOnce = 4096;  // given back in one go

constexpr const char* kSchema = R"(
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS series(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL,
  metric TEXT NOT NULL, unit TEXT NOT NULL, kind INTEGER NOT NULL, attributes BLOB NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS series_by_hash ON series(hash);
CREATE TABLE IF NOT EXISTS recent(id INTEGER PRIMARY KEY, block INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS blocks(id INTEGER PRIMARY KEY, first INTEGER NOT NULL,
  last INTEGER NOT NULL, times BLOB NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS chunks(key INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS coarse_blocks(id INTEGER PRIMARY KEY, first INTEGER NOT NULL,
  bins INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS coarse(key INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS events(id INTEGER PRIMARY KEY, time INTEGER NOT NULL,
  name TEXT NOT NULL, severity INTEGER NOT NULL, message TEXT NOT NULL, attributes BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS events_by_time ON events(time);
PRAGMA user_version = 1;
COMMIT;
)";

OpenedStore refuse(Error error, bool damaged) {
  return {.database = nullptr, .error = std::move(error), .damaged = damaged};
}

}  // namespace

StoreBudget::StoreBudget(uint64_t max_bytes)
    : log(std::clamp(max_bytes / kLogShare, kMinLog, kMaxLog)),
      database(max_bytes > 2 * log ? max_bytes - log : log) {}

OpenedStore open_store(const std::string& path, const StoreBudget& budget) {
  auto opened = Database::open(path, Database::Access::write);
  if (!opened) return refuse(opened.error(), false);
  Database& database = **opened;
  const auto version = database.number("PRAGMA user_version");
  if (!version) return refuse(version.error(), database.damaged());
  if (*version != 0 && *version != kVersion) {
    return refuse({fmt::format("{} is of another version of warpsight", path), {}}, true);
  }
  // The log is written back when half of its room is used: a transaction may use the other half.
  const std::string settings = fmt::format(
      "PRAGMA page_size = {0}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
      "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -256;"
      "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = {1};"
      "PRAGMA journal_size_limit = {2};",
      kPage, budget.log / 2 / kPage, budget.log / 2);
  for (const std::string& sql : {settings, std::string(kSchema)}) {
    if (const auto done = database.execute(sql); !done) {
      static_cast<void>(database.execute("ROLLBACK"));
      return refuse(done.error(), database.damaged());
    }
  }
  if (const auto held = shrink(database, budget); !held) {
    return refuse(held.error(), database.damaged());
  }
  return {.database = std::move(*opened)};
}

Result<uint64_t> used_bytes(Database& database) {
  const auto pages = database.number("PRAGMA page_count");
  if (!pages) return tl::unexpected(pages.error());
  const auto free = database.number("PRAGMA freelist_count");
  if (!free) return tl::unexpected(free.error());
  return static_cast<uint64_t>(std::max<int64_t>(*pages - *free, 0)) * kPage;
}

Result<> shrink(Database& database, const StoreBudget& budget) {
  const auto allowed = static_cast<int64_t>(budget.database / kPage);
  const auto pages = database.number("PRAGMA page_count");
  if (!pages) return tl::unexpected(pages.error());
  const auto free = database.number("PRAGMA freelist_count");
  if (!free) return tl::unexpected(free.error());
  const bool many = *free > kManyFreePages && *free > *pages / 3;
  if ((*pages > allowed || many) && *free > 0) {
    const int64_t give =
        std::min(kPagesAtOnce, many ? *free / 2 : std::min(*free, *pages - allowed));
    const auto given = database.execute(fmt::format("PRAGMA incremental_vacuum({})", give));
    if (!given) return given;
  }
  return database.execute(fmt::format("PRAGMA max_page_count = {}", allowed));
}

}  // namespace warpsight
