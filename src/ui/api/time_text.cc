#include "ui/api/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "core/quantity.h"
#include "ui/api/parameters.h"

namespace warpsight {
namespace {

// What nanoseconds since 1970 can say, with room to add to.
constexpr double kLastSecond = 9e9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A plain decimal number and nothing else: no sign, no exponent, no "inf".
std::optional<double> parse_decimal(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Whole and part apart: a double of today's seconds does not hold nanoseconds.
std::optional<Time> parse_unix_seconds(std::string_view text) {
  const auto seconds = parse_decimal(text);
  if (!seconds || *seconds > kLastSecond) return std::nullopt;
  const size_t dot = std::min(text.find('.'), text.size());
  const double whole = parse_decimal(text.substr(0, dot)).value_or(0);
  const double part = parse_decimal("0" + std::string(text.substr(dot))).value_or(0);
  return Time{std::chrono::seconds{std::llround(whole)}} + Duration{std::llround(part * 1e9)};
}

// Takes a fixed form off the front.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }

  int number(size_t digits) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      ok_ = ok_ && !rest_.empty() && is_digit(rest_.front());
      if (!ok_) return 0;
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  // Any one of these; 0 when it is none.
  char any(std::string_view choice) {
    ok_ = ok_ && !rest_.empty() && choice.find(rest_.front()) != std::string_view::npos;
    if (!ok_) return 0;
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

  // ".25", if it is there; beyond nanoseconds it is cut off.
  Duration fraction() {
    if (!ok_ || !rest_.starts_with('.')) return {};
    rest_.remove_prefix(1);
    ok_ = !rest_.empty() && is_digit(rest_.front());
    int64_t nanoseconds = 0;
    int64_t worth = 100'000'000;
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), worth /= 10) {
      nanoseconds += worth * (rest_.front() - '0');
    }
    return Duration{nanoseconds};
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::optional<Duration> take_offset(Cutter& cut) {
  // A '+' that was not encoded arrives as a blank.
  const char sign = cut.any("Zz+- ");
  if (!cut.ok()) return std::nullopt;
  if (sign == 'Z' || sign == 'z') return Duration{};
  const int hours = cut.number(2);
  cut.any(":");
  const int minutes = cut.number(2);
  if (!cut.ok() || hours > 23 || minutes > 59) return std::nullopt;
  const Duration offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
  return sign == '-' ? -offset : offset;
}

std::optional<Time> parse_rfc3339(std::string_view text) {
  namespace chrono = std::chrono;
  Cutter cut(text);
  const int year = cut.number(4);
  cut.any("-");
  const auto month = static_cast<unsigned>(cut.number(2));
  cut.any("-");
  const auto day = static_cast<unsigned>(cut.number(2));
  cut.any("Tt ");
  const int hour = cut.number(2);
  cut.any(":");
  const int minute = cut.number(2);
  cut.any(":");
  const int second = cut.number(2);
  const Duration fraction = cut.fraction();
  const auto offset = take_offset(cut);
  const chrono::year_month_day date{chrono::year{year}, chrono::month{month}, chrono::day{day}};
  // A leap second is the next minute's first.
  if (!offset || !cut.done() || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  if (year < 1970 || year > 2250) return std::nullopt;
  return Time{chrono::sys_days{date}} + chrono::hours{hour} + chrono::minutes{minute} +
         chrono::seconds{second} + fraction - *offset;
}

}  // namespace

Result<Time> parse_time(std::string_view text, Time now) {
  if (text == "now") return now;
  if (text.starts_with('-')) {
    const auto before = parse_duration(text.substr(1));
    if (before && *before < now.time_since_epoch()) return now - *before;
    return fail(fmt::format("{} is no time", quoted(text)),
                "write how long before now with a unit, like -90s, -1h or -2d");
  }
  if (const auto time = parse_unix_seconds(text)) return *time;
  if (const auto time = parse_rfc3339(text)) return *time;
  if (parse_decimal(text)) {
    return fail(fmt::format("{} is too far in the future", quoted(text)),
                "give Unix seconds, not milliseconds");
  }
  return fail(fmt::format("{} is no time", quoted(text)),
              "give Unix seconds, RFC 3339 like 2024-11-15T19:46:40Z, or -1h");
}

Result<Duration> parse_seconds_or_duration(std::string_view text) {
  if (const auto seconds = parse_decimal(text); seconds && *seconds <= kLastSecond) {
    return Duration{std::llround(*seconds * 1e9)};
  }
  if (const auto duration = parse_duration(text)) return *duration;
  return fail(fmt::format("{} is no length of time", quoted(text)),
              "give seconds, or a number with a unit, like 30s, 5m or 2h");
}

}  // namespace warpsight
