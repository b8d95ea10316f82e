#include "runtime/log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "runtime/log_limit.h"
#include "runtime/log_line.h"

namespace warpsight {
namespace {

struct Logger {
  std::atomic<LogLevel> level{LogLevel::info};
  std::atomic<std::uint64_t> dropped{0};

  std::mutex mutex;  // for what follows; never held over a write
  LogConfig config;
  LogLimiter limiter;
  std::vector<std::string>* capture = nullptr;
};

// Never destroyed: a thread may still log while the program exits.
Logger& logger() {
  static Logger* const instance = new Logger;
  return *instance;
}

const Clock& clock_of(const LogConfig& config) {
  static const SystemClock system;
  return config.clock != nullptr ? *config.clock : system;
}

void write_line(std::string_view line, int fd) {
  ssize_t written = 0;
  do {
    written = ::write(fd, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(line.size())) ++logger().dropped;
}

void emit(LogLevel level, std::string_view message, LogFields fields) {
  Logger& self = logger();
  LogLine line;
  LogConfig config;
  {
    const std::lock_guard lock(self.mutex);
    config = self.config;
    if (self.capture != nullptr) {
      const LogRecord record{level, clock_of(config).now(), message, fields};
      const auto text = line.render(record, config.format, LogStyle::plain, false);
      self.capture->emplace_back(text.substr(0, text.size() - 1));
      return;
    }
  }
  const LogRecord record{level, clock_of(config).now(), message, fields};
  write_line(line.render(record, config.format, config.style, true), config.fd);
}

void emit_suppressed(const LogLimiter::Suppressed& held) {
  emit(held.level, "similar lines suppressed",
       {{"count", held.count}, {"message", held.message}, {"key", held.key}});
}

bool is_journal_stream() {
  // Read once at start-up; nothing in the agent sets variables.
  const char* stream = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe)
  if (stream == nullptr) return false;
  // "DEVICE:INODE" of the stream that the journal reads.
  dev_t device = 0;
  ino_t inode = 0;
  const char* const end = stream + std::strlen(stream);
  const char* const colon = std::from_chars(stream, end, device).ptr;
  if (colon == end || *colon != ':') return false;
  std::from_chars(colon + 1, end, inode);
  struct stat info{};
  return ::fstat(STDERR_FILENO, &info) == 0 && info.st_dev == device && info.st_ino == inode;
}

}  // namespace

void log(LogLevel level, std::string_view message, LogFields fields) {
  if (log_enabled(level)) emit(level, message, fields);
}

void log_error(std::string_view message, LogFields fields) {
  log(LogLevel::error, message, fields);
}
void log_warn(std::string_view message, LogFields fields) { log(LogLevel::warn, message, fields); }
void log_info(std::string_view message, LogFields fields) { log(LogLevel::info, message, fields); }
void log_debug(std::string_view message, LogFields fields) {
  log(LogLevel::debug, message, fields);
}

void log_limited(LogLevel level, std::string_view key, std::string_view message, LogFields fields) {
  if (!log_enabled(level)) return;
  Logger& self = logger();
  LogLimiter::Suppressed ended;
  bool pass = false;
  {
    const std::lock_guard lock(self.mutex);
    pass = self.limiter.admit(level, key, message, clock_of(self.config).steady(), ended);
  }
  if (ended.count > 0) emit_suppressed(ended);
  if (pass) emit(level, message, fields);
}

void flush_suppressed_logs(bool all) {
  Logger& self = logger();
  for (;;) {
    LogLimiter::Suppressed ended;
    {
      const std::lock_guard lock(self.mutex);
      if (!self.limiter.take_ended(clock_of(self.config).steady(), all, ended)) return;
    }
    emit_suppressed(ended);
  }
}

bool log_enabled(LogLevel level) { return level <= logger().level.load(std::memory_order_relaxed); }

std::uint64_t dropped_log_lines() { return logger().dropped; }

void configure_log(const LogConfig& config) {
  Logger& self = logger();
  const std::lock_guard lock(self.mutex);
  self.config = config;
  self.level = config.level;
}

LogStyle detect_log_style() {
  if (::isatty(STDERR_FILENO) == 1) return LogStyle::terminal;
  return is_journal_stream() ? LogStyle::journal : LogStyle::plain;
}

LogLevel parse_log_level(std::string_view name) {
  for (const LogLevel level : {LogLevel::error, LogLevel::warn, LogLevel::debug}) {
    if (name == to_string(level)) return level;
  }
  return LogLevel::info;
}

LogCapture::LogCapture(LogLevel level, LogFormat format, const Clock* clock) {
  Logger& self = logger();
  const std::lock_guard lock(self.mutex);
  saved_ = self.config;
  self.config.level = level;
  self.config.format = format;
  self.config.clock = clock;
  self.level = level;
  self.limiter = {};
  self.capture = &lines_;
}

LogCapture::~LogCapture() {
  Logger& self = logger();
  const std::lock_guard lock(self.mutex);
  self.config = saved_;
  self.level = saved_.level;
  self.limiter = {};
  self.capture = nullptr;
}

std::vector<std::string> LogCapture::lines() const {
  const std::lock_guard lock(logger().mutex);
  return lines_;
}

bool LogCapture::contains(std::string_view text) const {
  const std::lock_guard lock(logger().mutex);
  for (const auto& line : lines_) {
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace warpsight
