#include "history/events.h"

#include <algorithm>
#include <utility>

namespace warpsight {
namespace {

bool is_named(std::string_view name, std::string_view wanted) {
  if (!wanted.ends_with('*')) return name == wanted;
  return name.starts_with(wanted.substr(0, wanted.size() - 1));
}

bool is_wanted(const KeptEvent& event, const EventQuery& query) {
  const bool named =
      query.names.empty() || std::ranges::any_of(query.names, [&](const std::string& wanted) {
        return is_named(event.name, wanted);
      });
  return named && event.severity >= query.least && event.time >= query.from &&
         event.time <= query.to && matches(query.matchers, event.attributes);
}

KeptEvent event_of(const Statement& rows) {
  KeptEvent event;
  event.time = Time{Duration{rows.number(0)}};
  event.name = rows.bytes(1);
  const int64_t severity = std::clamp<int64_t>(rows.number(2), 0, int64_t{2});
  event.severity = static_cast<Severity>(severity);
  event.message = rows.bytes(3);
  event.attributes = unpack_attributes(rows.bytes(4));
  return event;
}

}  // namespace

Result<EventAnswer> read_events(Database& database, const Memory& memory, const EventQuery& query) {
  if (query.from >= query.to) return fail("the range ends before it begins", "give from < to");
  EventAnswer answer;
  // One more than asked for tells whether there are more.
  const size_t enough = query.limit + 1;
  const Memory::Events fresh = memory.events();
  for (const EventRow& row : fresh.events) {
    if (is_wanted(row.event, query)) answer.events.push_back(row.event);
  }
  Statement rows(database,
                 "SELECT time, name, severity, message, attributes FROM events "
                 "WHERE time BETWEEN ?1 AND ?2 AND severity >= ?3 AND id < ?4 "
                 "ORDER BY time DESC, id DESC");
  rows.bind(1, query.from.time_since_epoch().count()).bind(2, query.to.time_since_epoch().count());
  rows.bind(3, static_cast<int64_t>(query.least)).bind(4, fresh.first_id);
  for (size_t written = 0; written < enough && rows.next();) {
    KeptEvent event = event_of(rows);
    if (!is_wanted(event, query)) continue;
    answer.events.push_back(std::move(event));
    ++written;
  }
  if (auto read = rows.outcome(); !read) return tl::unexpected(read.error());
  std::ranges::stable_sort(answer.events, std::ranges::greater{}, &KeptEvent::time);
  answer.more = answer.events.size() > query.limit;
  if (answer.more) answer.events.resize(query.limit);
  return answer;
}

}  // namespace warpsight
