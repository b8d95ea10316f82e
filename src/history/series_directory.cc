#include "history/series_directory.h"

#include <algorithm>
#include <utility>

namespace warpsight {
namespace {

constexpr size_t kMostUnwritten = 50'000;

}  // namespace

Result<> SeriesDirectory::load(Database& database) {
  const auto last = database.number("SELECT max(id) FROM series");
  if (!last) return tl::unexpected(last.error());
  const auto known = database.number("SELECT count(*) FROM series");
  if (!known) return tl::unexpected(known.error());
  next_ = static_cast<uint32_t>(*last + 1);
  known_ = static_cast<size_t>(*known);
  live_.clear();
  unwritten_.clear();
  Statement live(database, "SELECT id FROM series WHERE last = 0");
  while (live.next()) live_.insert(static_cast<uint32_t>(live.number(0)));
  return live.outcome();
}

Result<std::optional<uint32_t>> SeriesDirectory::number_of(Database& database,
                                                           SeriesIdentity identity, int64_t time) {
  const uint64_t hash = hash_of(identity);
  const auto& waiting = memory_.unwritten_series();
  if (const auto found = unwritten_.find(hash);
      found != unwritten_.end() && waiting[found->second].identity == identity) {
    return waiting[found->second].id;
  }
  const std::string attributes = pack_attributes(identity.attributes);
  Statement known(database,
                  "SELECT id, last FROM series WHERE hash = ?1 AND metric = ?2 AND unit = ?3 AND "
                  "kind = ?4 AND attributes = ?5");
  known.bind(1, static_cast<int64_t>(hash)).bind_text(2, identity.metric);
  known.bind_text(3, identity.unit).bind(4, static_cast<int64_t>(identity.kind));
  if (known.bind_bytes(5, attributes).next()) {
    const auto id = static_cast<uint32_t>(known.number(0));
    if (known.number(1) != 0) memory_.revive(id);
    return id;
  }
  if (auto read = known.outcome(); !read) return tl::unexpected(read.error());
  if (waiting.size() >= kMostUnwritten) return std::nullopt;
  unwritten_[hash] = static_cast<uint32_t>(waiting.size());
  memory_.add_series({.id = next_, .identity = std::move(identity), .first = time});
  ++known_;
  return next_++;
}

Result<bool> SeriesDirectory::revive(Database& database, uint32_t series) {
  Statement known(database, "SELECT last FROM series WHERE id = ?1");
  const bool found = known.bind(1, series).next();
  if (found && known.number(0) != 0) memory_.revive(series);
  if (auto read = known.outcome(); !read) return tl::unexpected(read.error());
  return found;
}

Result<> SeriesDirectory::write(Database& database) const {
  Statement insert(
      database,
      "INSERT OR REPLACE INTO series(id, hash, metric, unit, kind, attributes, first, last) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)");
  for (const SeriesRow& row : memory_.unwritten_series()) {
    const std::string attributes = pack_attributes(row.identity.attributes);
    insert.bind(1, row.id).bind(2, static_cast<int64_t>(hash_of(row.identity)));
    insert.bind_text(3, row.identity.metric).bind_text(4, row.identity.unit);
    insert.bind(5, static_cast<int64_t>(row.identity.kind)).bind_bytes(6, attributes);
    if (auto written = insert.bind(7, row.first).run(); !written) return written;
  }
  Statement revive(database, "UPDATE series SET last = 0 WHERE id = ?1");
  for (const uint32_t id : memory_.unwritten_revivals()) {
    if (auto written = revive.bind(1, id).run(); !written) return written;
  }
  return {};
}

void SeriesDirectory::written() {
  for (const SeriesRow& row : memory_.unwritten_series()) live_.insert(row.id);
  live_.insert(memory_.unwritten_revivals().begin(), memory_.unwritten_revivals().end());
  memory_.clear_series();
  unwritten_.clear();
}

bool SeriesDirectory::goes_on(uint32_t series) const {
  return std::ranges::any_of(memory_.blocks(),
                             [&](const Block& block) { return block.has(series); });
}

Result<> SeriesDirectory::write_ends(Database& database) const {
  Statement end(database, "UPDATE series SET last = ?2 WHERE id = ?1");
  const int64_t time = memory_.blocks().front().times().front();
  for (const uint32_t id : live_) {
    if (goes_on(id)) continue;
    if (auto written = end.bind(1, id).bind(2, time).run(); !written) return written;
  }
  return {};
}

void SeriesDirectory::ends_written() {
  std::erase_if(live_, [&](uint32_t id) { return !goes_on(id); });
}

}  // namespace warpsight
