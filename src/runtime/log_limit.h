// How often a repeating log line may be written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log.h"

namespace warpsight {

// Not thread-safe; the logger locks around it.
class LogLimiter {
 public:
  struct Suppressed {
    LogLevel level = LogLevel::info;
    std::string message;
    std::string key;
    std::uint64_t count = 0;
  };

  // Whether a line of this message and key may pass now. Where its last window has ended with
  // lines held back, `ended` is filled in and ought to be told first.
  bool admit(LogLevel level, std::string_view key, std::string_view message, SteadyTime now,
             Suppressed& ended);

  // The next window that has ended (or any, with `all`) with lines held back; false when none.
  bool take_ended(SteadyTime now, bool all, Suppressed& ended);

 private:
  // Beyond it everything new shares one budget.
  static constexpr std::size_t kMostKeys = 256;

  struct Entry {
    std::uint64_t id = 0;
    SteadyTime window_start;
    int passed = 0;
    Suppressed held;
  };

  Entry& entry_for(LogLevel level, std::string_view key, std::string_view message, SteadyTime now);

  std::vector<Entry> entries_;
};

}  // namespace warpsight
