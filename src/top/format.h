// Values as the screen shows them, short; "–" for what is absent.
#pragma once

#include <optional>
#include <string>

namespace warpsight::top {

using Number = std::optional<double>;

std::string percent(Number ratio);                 // "93%"
std::string watts(Number draw, Number limit);      // "512/700W", "512W"
std::string gibibytes(Number used, Number total);  // "64.3/79.6G", "64.3G"
std::string celsius(Number degrees);               // "61°C"
std::string megahertz(Number hertz);               // "1980MHz"
std::string latency(Number seconds);               // "310ms", "2.1s"
std::string amount(Number value);                  // "0", "3.1", "12", "1830", "9.1k"
std::string energy(Number joules);                 // "1.14kWh"
std::string span(Number seconds);                  // "3s", "12m", "1h27m", "4d03h"
// "12:33:20" on the day of `now`, "11-14 18:02" on another day of its year, else "2023-11-14"; of
// this machine's time zone.
std::string clock_time(Number unix_seconds, Number now);

}  // namespace warpsight::top
