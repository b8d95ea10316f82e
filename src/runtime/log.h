// Structured log to stderr: one write(2) a line, safe from any thread, no heap allocation.
//
//   log_info("probe replaced", {{"gpu", uuid}, {"call", name}, {"attempt", 2}});
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/clock.h"

namespace warpsight {

enum class LogLevel { error, warn, info, debug };
enum class LogFormat { text, json };

// How text lines begin: the time of day for a terminal, date and time for a file, a journald
// priority ("<4>") where the journal stamps lines itself.
enum class LogStyle { terminal, plain, journal };

// Borrows what it is made of: only for the duration of the log call.
class LogValue {
 public:
  LogValue(std::string_view text) : value_(text) {}
  LogValue(const std::string& text) : value_(std::string_view(text)) {}
  LogValue(const char* text) : value_(std::string_view(text)) {}
  LogValue(bool value) : value_(value) {}
  LogValue(std::signed_integral auto value) : value_(static_cast<std::int64_t>(value)) {}
  LogValue(std::unsigned_integral auto value) : value_(static_cast<std::uint64_t>(value)) {}
  LogValue(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  // As seconds.
  template <typename Rep, typename Period>
  LogValue(std::chrono::duration<Rep, Period> value)
      : value_(std::chrono::duration<double>(value).count()) {}

  const auto& get() const { return value_; }

 private:
  std::variant<std::string_view, bool, std::int64_t, std::uint64_t, double> value_;
};

struct LogField {
  std::string_view key;
  LogValue value;
};

using LogFields = std::initializer_list<LogField>;

void log(LogLevel level, std::string_view message, LogFields fields = {});
void log_error(std::string_view message, LogFields fields = {});
void log_warn(std::string_view message, LogFields fields = {});
void log_info(std::string_view message, LogFields fields = {});
void log_debug(std::string_view message, LogFields fields = {});

// For what may repeat every tick: of lines with the same message and key, kLogBurst pass in each
// kLogWindow; the rest are counted, and one "N similar suppressed" line follows when the window
// ends. The key tells apart what deserves a budget of its own, a GPU or an endpoint, say.
void log_limited(LogLevel level, std::string_view key, std::string_view message,
                 LogFields fields = {});
inline constexpr int kLogBurst = 5;
inline constexpr Duration kLogWindow = std::chrono::minutes{1};

// Writes the "suppressed" lines of windows that ended. Called once a publish interval, and with
// `all` at shutdown.
void flush_suppressed_logs(bool all = false);

bool log_enabled(LogLevel level);

// Lines that standard error did not take.
std::uint64_t dropped_log_lines();

struct LogConfig {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  LogStyle style = LogStyle::plain;
  int fd = 2;
  const Clock* clock = nullptr;  // nullptr: the system's; else must outlive the logging
};

void configure_log(const LogConfig& config);
// What suits standard error as it is now: terminal, journal stream or something else.
LogStyle detect_log_style();
// "error", "warn", "info", "debug"; anything else is info.
LogLevel parse_log_level(std::string_view name);

// While it lives, lines go here instead of to the file descriptor, without their time.
// One at a time; for tests.
class LogCapture {
 public:
  explicit LogCapture(LogLevel level = LogLevel::debug, LogFormat format = LogFormat::text,
                      const Clock* clock = nullptr);
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  std::vector<std::string> lines() const;
  bool contains(std::string_view text) const;

 private:
  LogConfig saved_;
  std::vector<std::string> lines_;
};

}  // namespace warpsight
