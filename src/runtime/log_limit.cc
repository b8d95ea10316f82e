#include "runtime/log_limit.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace warpsight {
namespace {

std::uint64_t identity(std::string_view key, std::string_view message) {
  const std::hash<std::string_view> hash;
  return hash(message) * 31 + hash(key);
}

}  // namespace

LogLimiter::Entry& LogLimiter::entry_for(LogLevel level, std::string_view key,
                                         std::string_view message, SteadyTime now) {
  const std::uint64_t id = identity(key, message);
  const auto known = std::ranges::find(entries_, id, &Entry::id);
  if (known != entries_.end()) return *known;

  Entry fresh{.id = id, .window_start = now, .passed = 0, .held = {}};
  fresh.held.level = level;
  fresh.held.message = message;
  fresh.held.key = key;
  if (entries_.size() < kMostKeys) return entries_.emplace_back(std::move(fresh));
  const auto idle = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.held.count == 0 && now - entry.window_start >= kLogWindow;
  });
  if (idle == entries_.end()) return entries_.back();
  return *idle = std::move(fresh);
}

bool LogLimiter::admit(LogLevel level, std::string_view key, std::string_view message,
                       SteadyTime now, Suppressed& ended) {
  Entry& entry = entry_for(level, key, message, now);
  if (now - entry.window_start >= kLogWindow) {
    if (entry.held.count > 0) ended = entry.held;
    entry.held.count = 0;
    entry.passed = 0;
    entry.window_start = now;
  }
  if (entry.passed < kLogBurst) {
    ++entry.passed;
    return true;
  }
  ++entry.held.count;
  return false;
}

bool LogLimiter::take_ended(SteadyTime now, bool all, Suppressed& ended) {
  for (Entry& entry : entries_) {
    if (entry.held.count == 0 || (!all && now - entry.window_start < kLogWindow)) continue;
    ended = entry.held;
    entry.held.count = 0;
    return true;
  }
  return false;
}

}  // namespace warpsight
