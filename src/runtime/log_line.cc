#include "runtime/log_line.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <type_traits>

namespace warpsight {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// How many bytes the UTF-8 sequence at the front of `text` has; 0 when it is not one.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  return std::ranges::any_of(text, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7F ||
           c == '"' || c == '=' || c == '\\';
  });
}

char syslog_priority(LogLevel level) {
  switch (level) {
    case LogLevel::error: return '3';
    case LogLevel::warn: return '4';
    case LogLevel::info: return '6';
    case LogLevel::debug: break;
  }
  return '7';
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::error: return "error";
    case LogLevel::warn: return "warn";
    case LogLevel::info: return "info";
    case LogLevel::debug: break;
  }
  return "debug";
}

void LogLine::put(char c) { put(std::string_view(&c, 1)); }

void LogLine::put(std::string_view text) {
  if (full_ || size_ + text.size() > kCapacity - kReserve) {
    full_ = true;
    return;
  }
  std::memcpy(buffer_.data() + size_, text.data(), text.size());
  size_ += text.size();
}

void LogLine::put_time(Time time, bool date) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t unix_seconds = seconds.time_since_epoch().count();
  std::tm parts{};
  if (date) {
    ::gmtime_r(&unix_seconds, &parts);
  } else {
    ::localtime_r(&unix_seconds, &parts);
  }
  std::array<char, 32> text{};
  const std::size_t length =
      std::strftime(text.data(), text.size(), date ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &parts);
  put(std::string_view(text.data(), length));
  if (!date) return;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds).count();
  const std::array<char, 5> fraction = {'.', static_cast<char>('0' + ms / 100),
                                        static_cast<char>('0' + ms / 10 % 10),
                                        static_cast<char>('0' + ms % 10), 'Z'};
  put(std::string_view(fraction.data(), fraction.size()));
}

void LogLine::put_escaped(std::string_view text) {
  const bool cut = text.size() > kLongestText;
  text = text.substr(0, kLongestText);
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      put("\\ufffd");
    } else if (c == '"' || c == '\\') {
      put('\\');
      put(c);
    } else if (c == '\n') {
      put("\\n");
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) {
      const auto byte = static_cast<unsigned char>(c);
      const std::array<char, 6> escape = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      put(std::string_view(escape.data(), escape.size()));
    } else {
      put(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  if (cut) put("...");
}

void LogLine::put_logfmt(std::string_view text) {
  if (!needs_quotes(text)) return put_escaped(text);
  put('"');
  put_escaped(text);
  put('"');
}

void LogLine::put_value(const LogValue& value, LogFormat format) {
  std::visit(
      [&](auto v) {
        using T = decltype(v);
        if constexpr (std::is_same_v<T, std::string_view>) {
          if (format == LogFormat::text) return put_logfmt(v);
          put('"');
          put_escaped(v);
          put('"');
        } else if constexpr (std::is_same_v<T, bool>) {
          put(v ? "true" : "false");
        } else {
          if constexpr (std::is_same_v<T, double>) {
            if (!std::isfinite(v)) return put("null");
          }
          std::array<char, 32> digits{};
          const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), v).ptr;
          put(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
        }
      },
      value.get());
}

void LogLine::put_field(const LogField& field, LogFormat format) {
  if (format == LogFormat::json) {
    put(",\"");
    put_escaped(field.key);
    put("\":");
  } else {
    put(' ');
    put_escaped(field.key);
    put('=');
  }
  put_value(field.value, format);
}

void LogLine::put_text_head(const LogRecord& record, LogStyle style, bool stamped) {
  if (style == LogStyle::journal) {
    const std::array<char, 3> priority = {'<', syslog_priority(record.level), '>'};
    put(std::string_view(priority.data(), priority.size()));
  } else {
    if (stamped) {
      put_time(record.time, style == LogStyle::plain);
      put(' ');
    }
    const std::string_view name = to_string(record.level);
    put(name);
    for (std::size_t i = name.size(); i < 6; ++i) put(' ');
  }
  put_escaped(record.message);
}

void LogLine::put_json_head(const LogRecord& record, bool stamped) {
  put('{');
  if (stamped) {
    put("\"time\":\"");
    put_time(record.time, true);
    put("\",");
  }
  put("\"level\":\"");
  put(to_string(record.level));
  put("\",\"message\":\"");
  put_escaped(record.message);
  put('"');
}

std::string_view LogLine::render(const LogRecord& record, LogFormat format, LogStyle style,
                                 bool stamped) {
  size_ = 0;
  full_ = false;
  const bool json = format == LogFormat::json;
  if (json) {
    put_json_head(record, stamped);
  } else {
    put_text_head(record, style, stamped);
  }
  bool cut = false;
  for (const LogField& field : record.fields) {
    const std::size_t before = size_;
    put_field(field, format);
    if (!full_) continue;
    size_ = before;
    full_ = false;
    cut = true;
  }
  std::string_view end = json ? "}\n" : "\n";
  if (cut) end = json ? ",\"truncated\":true}\n" : " truncated=true\n";
  std::memcpy(buffer_.data() + size_, end.data(), end.size());  // fits in the reserve
  return {buffer_.data(), size_ + end.size()};
}

}  // namespace warpsight
