// Asking for a silence, and for its end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/matcher.h"
#include "core/result.h"
#include "ui/api/parameters.h"

namespace warpsight {

struct SilenceRequest {
  std::vector<Matcher> matchers;  // one at least
  Duration lasts{};               // more than zero
  std::string comment = {};
};

inline constexpr size_t kMaxSilenceComment = 500;  // characters

// {"match": ["KEY=VALUE", ...], "for": 7200, "comment": "..."}. `match` may also be an object,
// {"KEY": "VALUE", "OTHER": ["THIS", "THAT"]}; `for` may be "2h"; there need be no comment.
Result<SilenceRequest> parse_silence_request(std::string_view body);

// Of the silence to end.
Result<std::string> parse_silence_id(const Parameters& parameters);

}  // namespace warpsight
