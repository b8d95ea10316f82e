// Picks things by their attributes: "gpu.index=0", "llm.latency=ttft|itl", "severity!=info".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "core/result.h"

namespace warpsight {

struct Matcher {
  std::string key;
  std::vector<std::string> values;  // one of them; "" is an attribute that is not there
  bool negated = false;             // none of them

  friend bool operator==(const Matcher&, const Matcher&) = default;
};

inline constexpr size_t kMaxMatcherBytes = 1024;

// "KEY=VALUE", "KEY=ONE|OTHER", "KEY!=VALUE".
Result<Matcher> parse_matcher(std::string_view text);
std::string to_string(const Matcher& matcher);

bool matches(const Matcher& matcher, std::span<const Attribute> attributes);
// Whether all of them do.
bool matches(std::span<const Matcher> matchers, std::span<const Attribute> attributes);

}  // namespace warpsight
