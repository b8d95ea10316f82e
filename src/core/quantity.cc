#include "core/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace warpsight {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Longer names before their prefixes: "ms" is not "m".
constexpr std::array<Unit, 7> kTimeUnits = {{
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
    {"d", 86'400'000'000'000},
}};

constexpr std::uint64_t kKibi = 1024;
constexpr std::array<Unit, 10> kSizeUnits = {{
    {"B", 1},
    {"kB", 1'000},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", kKibi},
    {"MiB", kKibi* kKibi},
    {"GiB", kKibi* kKibi* kKibi},
    {"TiB", kKibi* kKibi* kKibi* kKibi},
}};

constexpr double kLongestDuration = 100.0 * 365 * 86'400e9;
constexpr double kLargestSize = 1e18;

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Takes a plain decimal number off the front: no sign, no exponent, no "inf".
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The letters up to the next number, blanks around them dropped.
std::string_view take_unit(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && (text[length] < '0' || text[length] > '9')) ++length;
  const std::string_view unit = text.substr(0, length);
  text.remove_prefix(length);
  return trim(unit);
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  text = trim(text);
  if (text == "0") return Duration::zero();
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    const Unit* unit = find_unit(kTimeUnits, take_unit(text));
    if (!number || unit == nullptr) return std::nullopt;
    total += *number * static_cast<double>(unit->factor);
    if (!(total <= kLongestDuration)) return std::nullopt;
  }
  return Duration{std::llround(total)};
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  text = trim(text);
  const auto number = take_number(text);
  const std::string_view name = trim(text);
  const Unit* unit = find_unit(kSizeUnits, name.empty() ? "B" : name);
  if (!number || unit == nullptr) return std::nullopt;
  const double bytes = *number * static_cast<double>(unit->factor);
  if (!(bytes <= kLargestSize)) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(bytes));
}

std::string format_duration(Duration duration) {
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
  if (count == 0) return "0";
  const Unit* best = kTimeUnits.data();
  for (const Unit& unit : kTimeUnits) {
    if (count % unit.factor == 0) best = &unit;
  }
  return fmt::format("{}{}", count / best->factor, best->name);
}

std::string format_size(std::uint64_t bytes) {
  std::string best = fmt::format("{}", bytes);
  if (bytes == 0) return best;
  for (const Unit& unit : kSizeUnits) {
    if (unit.factor == 1 || bytes % unit.factor != 0) continue;
    // Compared by the number: "64KiB" reads better than "65536", "10MB" better than "10000kB".
    std::string candidate = fmt::format("{}{}", bytes / unit.factor, unit.name);
    const auto digits = [](const std::string& s) { return s.find_first_not_of("0123456789"); };
    if (std::min(digits(candidate), candidate.size()) < std::min(digits(best), best.size())) {
      best = std::move(candidate);
    }
  }
  return best;
}

}  // namespace warpsight
