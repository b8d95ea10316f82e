#include "top/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "top/canvas.h"

namespace warpsight::top {
namespace {

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
constexpr double kJoulesPerKilowattHour = 3.6e6;
// Beyond it a number is a mistake, and is not to break the columns.
constexpr double kLargest = 1e15;

double bounded(double value) { return std::clamp(value, -kLargest, kLargest); }

std::string absent() { return std::string(kAbsentText); }

std::optional<std::tm> local_time(Number unix_seconds) {
  if (!unix_seconds) return std::nullopt;
  const auto seconds = static_cast<std::time_t>(std::clamp(*unix_seconds, 0.0, 1e11));
  std::tm parts{};
  if (localtime_r(&seconds, &parts) == nullptr) return std::nullopt;
  return parts;
}

}  // namespace

std::string percent(Number ratio) {
  return ratio ? fmt::format("{:.0f}%", bounded(*ratio * 100)) : absent();
}

std::string watts(Number draw, Number limit) {
  if (!draw) return absent();
  return limit ? fmt::format("{:.0f}/{:.0f}W", bounded(*draw), bounded(*limit))
               : fmt::format("{:.0f}W", bounded(*draw));
}

std::string gibibytes(Number used, Number total) {
  if (!used) return absent();
  return total ? fmt::format("{:.1f}/{:.1f}G", bounded(*used / kGibi), bounded(*total / kGibi))
               : fmt::format("{:.1f}G", bounded(*used / kGibi));
}

std::string celsius(Number degrees) {
  return degrees ? fmt::format("{:.0f}°C", bounded(*degrees)) : absent();
}

std::string megahertz(Number hertz) {
  return hertz ? fmt::format("{:.0f}MHz", bounded(*hertz / 1e6)) : absent();
}

std::string latency(Number seconds) {
  if (!seconds) return absent();
  if (*seconds < 0.0995) return fmt::format("{:.1f}ms", bounded(*seconds * 1000));
  if (*seconds < 0.9995) return fmt::format("{:.0f}ms", bounded(*seconds * 1000));
  return fmt::format("{:.{}f}s", bounded(*seconds), *seconds < 10 ? 2 : 1);
}

std::string amount(Number value) {
  if (!value) return absent();
  const double number = bounded(*value);
  if (number >= 9999.5) return fmt::format("{:.1f}k", number / 1000);
  const bool whole = number == static_cast<double>(static_cast<int64_t>(number));
  return fmt::format("{:.{}f}", number, whole || number >= 100 ? 0 : 1);
}

std::string energy(Number joules) {
  return joules ? fmt::format("{:.2f}kWh", bounded(*joules / kJoulesPerKilowattHour)) : absent();
}

std::string span(Number seconds) {
  if (!seconds) return absent();
  const auto whole = static_cast<int64_t>(std::max(bounded(*seconds), 0.0));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

std::string clock_time(Number unix_seconds, Number now) {
  const auto time = local_time(unix_seconds);
  const auto today = local_time(now);
  if (!time) return absent();
  if (!today || time->tm_year != today->tm_year) {
    return fmt::format("{:04}-{:02}-{:02}", time->tm_year + 1900, time->tm_mon + 1, time->tm_mday);
  }
  if (time->tm_yday != today->tm_yday) {
    return fmt::format("{:02}-{:02} {:02}:{:02}", time->tm_mon + 1, time->tm_mday, time->tm_hour,
                       time->tm_min);
  }
  return fmt::format("{:02}:{:02}:{:02}", time->tm_hour, time->tm_min, time->tm_sec);
}

}  // namespace warpsight::top
