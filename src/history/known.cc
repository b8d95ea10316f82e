#include "history/known.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <utility>

#include "history/frame.h"

namespace warpsight {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::weak_ordering compare(const Attribute& a, const Attribute& b) {
  if (const auto keys = a.key <=> b.key; keys != 0) return keys;
  if (a.value.size() != b.value.size() && is_number(a.value) && is_number(b.value)) {
    return a.value.size() <=> b.value.size();
  }
  return a.value <=> b.value;
}

struct ByMetricAndAttributes {
  std::span<const std::string> metrics;

  bool operator()(const SeriesRow& a, const SeriesRow& b) const {
    if (a.identity.metric != b.identity.metric) {
      if (metrics.empty()) return a.identity.metric < b.identity.metric;
      return std::ranges::find(metrics, a.identity.metric) <
             std::ranges::find(metrics, b.identity.metric);
    }
    return std::lexicographical_compare(
        a.identity.attributes.begin(), a.identity.attributes.end(), b.identity.attributes.begin(),
        b.identity.attributes.end(),
        [](const Attribute& x, const Attribute& y) { return compare(x, y) < 0; });
  }
};

SeriesRow row_of(const Statement& rows) {
  SeriesRow row;
  row.id = static_cast<uint32_t>(rows.number(0));
  row.identity.metric = rows.bytes(1);
  row.identity.unit = rows.bytes(2);
  const int64_t kind = rows.number(3);
  const bool sound = kind >= 0 && kind <= static_cast<int64_t>(MetricKind::info);
  row.identity.kind = sound ? static_cast<MetricKind>(kind) : MetricKind::gauge;
  row.identity.attributes = unpack_attributes(rows.bytes(4));
  row.first = rows.number(5);
  row.last = rows.number(6);
  return row;
}

// Of a metric, or of all of them; as they lie in the file, so that each page is read once.
Result<std::vector<int64_t>> read_ids(Database& database, const std::string* metric) {
  Statement rows(database, "SELECT id FROM series WHERE hash BETWEEN ?1 AND ?2");
  if (metric != nullptr) {
    const uint64_t first = first_hash(*metric);
    rows.bind(1, static_cast<int64_t>(first)).bind(2, static_cast<int64_t>(first | UINT32_MAX));
  } else {
    rows.bind(1, std::numeric_limits<int64_t>::min());
    rows.bind(2, std::numeric_limits<int64_t>::max());
  }
  std::vector<int64_t> ids;
  while (rows.next()) ids.push_back(rows.number(0));
  if (auto read = rows.outcome(); !read) return tl::unexpected(read.error());
  std::ranges::sort(ids);
  return ids;
}

Result<> read_rows(Database& database, const std::string* metric, std::span<const Matcher> matchers,
                   std::vector<SeriesRow>& out) {
  const auto ids = read_ids(database, metric);
  if (!ids) return tl::unexpected(ids.error());
  Statement rows(
      database, "SELECT id, metric, unit, kind, attributes, first, last FROM series WHERE id = ?1");
  for (const int64_t id : *ids) {
    const bool found = rows.bind(1, id).next();
    if (found && (metric == nullptr || rows.bytes(1) == *metric)) {
      SeriesRow row = row_of(rows);
      if (matches(matchers, row.identity.attributes)) out.push_back(std::move(row));
    }
    if (auto read = rows.outcome(); !read) return read;
    rows.again();
  }
  return {};
}

}  // namespace

Result<std::vector<SeriesRow>> find_series(Database& database, const Memory& memory,
                                           std::span<const std::string> metrics,
                                           std::span<const Matcher> matchers) {
  std::vector<SeriesRow> found;
  const auto revivals = memory.revivals();
  for (SeriesRow& row : memory.new_series()) {
    const auto& identity = row.identity;
    const bool asked =
        metrics.empty() || std::ranges::find(metrics, identity.metric) != metrics.end();
    if (asked && matches(matchers, identity.attributes)) found.push_back(std::move(row));
  }
  const Transaction transaction(database, Transaction::Kind::read);
  if (!transaction.begun()) return tl::unexpected(transaction.begun().error());
  if (metrics.empty()) {
    if (auto read = read_rows(database, nullptr, matchers, found); !read) {
      return tl::unexpected(read.error());
    }
  }
  for (const std::string& metric : metrics) {
    if (auto read = read_rows(database, &metric, matchers, found); !read) {
      return tl::unexpected(read.error());
    }
  }
  for (SeriesRow& row : found) {
    if (revivals.contains(row.id)) row.last = 0;
  }
  // One that was written meanwhile, or asked for twice, is there twice.
  std::ranges::sort(found, {}, &SeriesRow::id);
  const auto twice = std::ranges::unique(found, {}, &SeriesRow::id);
  found.erase(twice.begin(), twice.end());
  std::ranges::sort(found, ByMetricAndAttributes{metrics});
  return found;
}

Result<std::vector<KnownSeries>> read_known(Database& database, const Memory& memory,
                                            std::span<const std::string> metrics,
                                            std::span<const Matcher> matchers) {
  auto found = find_series(database, memory, metrics, matchers);
  if (!found) return tl::unexpected(found.error());
  int64_t newest = memory.sight().last_time;
  if (newest == 0) {
    const auto written = database.number("SELECT last FROM blocks ORDER BY id DESC LIMIT 1");
    if (!written) return tl::unexpected(written.error());
    newest = *written;
  }
  std::vector<KnownSeries> known;
  known.reserve(found->size());
  for (SeriesRow& row : *found) {
    known.push_back({.metric = std::move(row.identity.metric),
                     .unit = std::move(row.identity.unit),
                     .kind = row.identity.kind,
                     .attributes = std::move(row.identity.attributes),
                     .first = from_ms(row.first),
                     .last = from_ms(row.last == 0 ? newest : row.last)});
  }
  return known;
}

}  // namespace warpsight
