#include "simulate/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace warpsight::simulate {
namespace {

using Units = std::span<const std::pair<std::string_view, double>>;

constexpr std::array<std::pair<std::string_view, double>, 4> kTimeUnits = {
    {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
constexpr std::array<std::pair<std::string_view, double>, 8> kSizeUnits = {{{"KiB", 0x1p10},
                                                                            {"MiB", 0x1p20},
                                                                            {"GiB", 0x1p30},
                                                                            {"TiB", 0x1p40},
                                                                            {"kB", 1e3},
                                                                            {"MB", 1e6},
                                                                            {"GB", 1e9},
                                                                            {"B", 1}}};

std::optional<double> parse_with_unit(std::string_view text, Units units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit.empty()) return value;
  for (const auto& [name, factor] : units) {
    if (unit == name) return value * factor;
  }
  return std::nullopt;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::optional<double> parse_number(std::string_view text) { return parse_with_unit(text, {}); }

std::optional<double> parse_seconds(std::string_view text) {
  return parse_with_unit(text, kTimeUnits);
}

std::optional<double> parse_bytes(std::string_view text) {
  return parse_with_unit(text, kSizeUnits);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (error != std::errc{} || end != last) return std::nullopt;
  return value;
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;
  name = name.substr(0, kLongest);
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t d = distance(name, candidate);
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string join_names(std::span<const std::string_view> names) {
  std::string joined;
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

}  // namespace warpsight::simulate
