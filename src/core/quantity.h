// Quantities as people write them in a config: durations and byte sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"

namespace warpsight {

// "250ms", "10s", "1.5m", "1h", "2d", also "1h30m"; "0" needs no unit. Never negative.
std::optional<Duration> parse_duration(std::string_view text);

// "4096", "64KiB", "10MB", "1.5GiB". KiB is 1024 bytes, kB (or KB) 1000.
std::optional<std::uint64_t> parse_size(std::string_view text);

// The shortest exact form parse_duration() and parse_size() read back.
std::string format_duration(Duration duration);
std::string format_size(std::uint64_t bytes);

}  // namespace warpsight
