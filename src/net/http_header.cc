#include "net/http_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace warpsight {
namespace {

constexpr Duration kLongestWait = std::chrono::days{1};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `text` must be digits alone.
std::optional<int64_t> parse_digits(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.front() == '-' || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::numeric_limits<int64_t>::max();
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<unsigned> parse_month(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto found = std::ranges::find(kMonths, name);
  if (found == kMonths.end()) return std::nullopt;
  return static_cast<unsigned>(found - kMonths.begin()) + 1;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", whose parts stand in fixed places.
std::optional<Time> parse_http_date(std::string_view text) {
  constexpr std::string_view kShape = "___, __ ___ ____ __:__:__ GMT";
  if (text.size() != kShape.size()) return std::nullopt;
  for (size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] != '_' && kShape[i] != text[i]) return std::nullopt;
  }
  const auto day = parse_digits(text.substr(5, 2));
  const auto month = parse_month(text.substr(8, 3));
  const auto year = parse_digits(text.substr(12, 4));
  const auto hour = parse_digits(text.substr(17, 2));
  const auto minute = parse_digits(text.substr(20, 2));
  const auto second = parse_digits(text.substr(23, 2));
  if (!day || !month || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)},
                                         std::chrono::month{*month},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  // Time itself ends in 2262, and began in 1677.
  const bool sane = date.ok() && *year >= 1970 && *year <= 2200;
  if (!sane || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
         std::chrono::seconds{*second};
}

}  // namespace

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

bool same_header_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<Duration> parse_retry_after(std::string_view value, Time now) {
  if (const auto seconds = parse_digits(value)) {
    constexpr auto kMost = std::chrono::duration_cast<std::chrono::seconds>(kLongestWait);
    return std::min(std::chrono::seconds{*seconds}, kMost);
  }
  const auto date = parse_http_date(value);
  if (!date) return std::nullopt;
  return std::clamp<Duration>(*date - now, Duration::zero(), kLongestWait);
}

}  // namespace warpsight
