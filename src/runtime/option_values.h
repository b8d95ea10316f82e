// The checking of one option's text against its definition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/clock.h"
#include "core/result.h"

namespace warpsight {

struct OptionDef;

using OptionValue =
    std::variant<bool, std::int64_t, double, Duration, std::uint64_t, std::string,
                 std::vector<std::string>, std::vector<std::pair<std::string, std::string>>>;

// The value that `text` states, of the alternative that belongs to the definition's type.
Result<OptionValue> parse_option(const OptionDef& def, std::string_view text);

// Whether each item is one of the allowed choices, where the definition names any.
Result<> check_items(const OptionDef& def, const std::vector<std::string>& items);

// "expected a duration such as 250ms, 10s or 1h, in 1s..10m".
std::string expectation(const OptionDef& def);

// "a|b|c" taken apart.
std::vector<std::string_view> choices(std::string_view allowed);

}  // namespace warpsight
