// One log line, put together in a fixed buffer.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "runtime/log.h"

namespace warpsight {

struct LogRecord {
  LogLevel level;
  Time time;
  std::string_view message;
  LogFields fields;
};

// Small enough that a write to a pipe is never torn. What does not fit is left out, whole fields
// at a time, and the line says so; JSON stays well-formed, and foreign bytes cannot forge lines
// or drive a terminal.
class LogLine {
 public:
  // With its newline; valid until the next call. `stamped` false leaves the time out.
  std::string_view render(const LogRecord& record, LogFormat format, LogStyle style, bool stamped);

 private:
  static constexpr std::size_t kCapacity = 4096;
  static constexpr std::size_t kReserve = 64;  // for the end of the line
  static constexpr std::size_t kLongestText = 1024;

  void put(char c);
  void put(std::string_view text);
  void put_time(Time time, bool date);
  // Escaped as JSON strings are, without the quotes around.
  void put_escaped(std::string_view text);
  void put_logfmt(std::string_view text);
  void put_value(const LogValue& value, LogFormat format);
  void put_field(const LogField& field, LogFormat format);
  void put_text_head(const LogRecord& record, LogStyle style, bool stamped);
  void put_json_head(const LogRecord& record, bool stamped);

  std::array<char, kCapacity> buffer_;
  std::size_t size_ = 0;
  bool full_ = false;
};

std::string_view to_string(LogLevel level);

}  // namespace warpsight
