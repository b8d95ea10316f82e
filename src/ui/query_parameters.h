// The query of a URI, taken apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace warpsight {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

inline constexpr size_t kMaxParameters = 64;
inline constexpr size_t kMaxQuery = size_t{8} * 1024;  // bytes, before decoding

// `a=1&b=x+y%21` in its order, names and values percent-decoded, '+' as a blank. A name without
// '=' has an empty value. An error where it is beyond the bounds, a '%' is not followed by two hex
// digits, or what comes out is not UTF-8 or has control characters other than line ends and tabs.
Result<QueryParameters> parse_query(std::string_view query);

}  // namespace warpsight
