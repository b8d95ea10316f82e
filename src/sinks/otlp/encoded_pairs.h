// "key=value,key2=value%202", as the OTEL_ variables write lists of pairs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight::otlp {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Percent-decoded, blanks around keys and values left out. nullopt when a pair has no key or no
// '=', or a '%' begins no escape. Of a key that is there twice the last value counts.
std::optional<Pairs> parse_encoded_pairs(std::string_view text);

}  // namespace warpsight::otlp
