// Addresses of agents as people write them.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace warpsight::top {

inline constexpr std::string_view kDefaultPort = "9465";

struct AgentAddress {
  std::string name;  // for people: "node7", "node7:9999"
  std::string url;   // "http://node7:9465", without a slash at the end
};

// "a", "a:9465", "::1", "[::1]:9465", "http://a", "https://a:9465/behind/a/proxy".
Result<AgentAddress> parse_address(std::string_view text);

}  // namespace warpsight::top
