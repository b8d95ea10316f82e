#include "simulate/text.h"

#include <charconv>
#include <cmath>

#include "core/clock.h"
#include "core/quantity.h"

namespace warpsight::simulate {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc{} || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> parse_seconds(std::string_view text) {
  if (const auto plain = parse_number(text)) return plain;
  const auto duration = parse_duration(text);
  return duration ? std::optional(to_seconds(*duration)) : std::nullopt;
}

std::optional<double> parse_bytes(std::string_view text) {
  if (const auto plain = parse_number(text)) return plain;
  const auto size = parse_size(text);
  return size ? std::optional(static_cast<double>(*size)) : std::nullopt;
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

std::string join_names(std::span<const std::string_view> names) {
  std::string joined;
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

}  // namespace warpsight::simulate
