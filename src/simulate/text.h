// Quantities and names as people write them in a scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpsight::simulate {

// A whole decimal number, or null; no NaN, no infinity.
std::optional<double> parse_number(std::string_view text);

// "20s", "250ms", "5m", "1h" or a plain number of seconds.
std::optional<double> parse_seconds(std::string_view text);

// "80GiB", "640MiB", "40GB" or a plain number of bytes.
std::optional<double> parse_bytes(std::string_view text);

// Decimal, or hexadecimal after 0x.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

// The names with commas between them.
std::string join_names(std::span<const std::string_view> names);

}  // namespace warpsight::simulate
