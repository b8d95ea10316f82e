// One value of a JSON text that somebody else wrote, without reading the rest of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpsight {

// One string of a JSON text, found by its way from the top: keys, "0" for the first item of an
// array. A text that was cut off is read as far as it goes. nullopt: not there, or no string.
std::optional<std::string> json_string(std::string_view json,
                                       std::span<const std::string_view> way);

}  // namespace warpsight
