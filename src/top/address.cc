#include "top/address.h"

#include <algorithm>

namespace warpsight::top {
namespace {

struct Authority {
  std::string host;
  std::string port;
};

Result<Authority> parse_authority(std::string_view text) {
  const auto refuse = [&] {
    return fail("'" + std::string(text) + "' is no address of an agent",
                "write it as node7, node7:9465 or https://node7:9465");
  };
  Authority found{.host = std::string(text), .port = std::string(kDefaultPort)};
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return refuse();
  const bool bare_ipv6 = bracket == 0 && std::ranges::count(text, ':') > 1;
  if (bare_ipv6) {
    found.host = "[" + found.host + "]";
  } else if (const size_t colon = text.find(':', bracket); colon != std::string_view::npos) {
    found.host = text.substr(0, colon);
    found.port = text.substr(colon + 1);
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (found.port.empty() || found.port.size() > 5 || !std::ranges::all_of(found.port, is_digit)) {
    return refuse();
  }
  const std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]%";
  if (found.host.empty() || found.host.find_first_not_of(allowed) != std::string::npos) {
    return refuse();
  }
  return found;
}

}  // namespace

Result<AgentAddress> parse_address(std::string_view text) {
  std::string_view scheme = "http";
  if (const size_t end = text.find("://"); end != std::string_view::npos) {
    scheme = text.substr(0, end);
    text.remove_prefix(end + 3);
  }
  if (scheme != "http" && scheme != "https") {
    return fail("an agent speaks http or https, not '" + std::string(scheme) + "'",
                "write it as https://node7:9465");
  }
  if (text.find('@') != std::string_view::npos) {
    return fail("credentials do not belong into an address", "give them with --token-file");
  }
  if (text.find_first_of("?# ") != std::string_view::npos) {
    return fail("'" + std::string(text) + "' is no address of an agent",
                "leave out what stands behind the path");
  }
  const size_t slash = std::min(text.find('/'), text.size());
  std::string_view path = text.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  return parse_authority(text.substr(0, slash)).map([&](const Authority& authority) {
    std::string name = authority.host;
    if (authority.port != kDefaultPort) name += ":" + authority.port;
    return AgentAddress{.name = name + std::string(path),
                        .url = std::string(scheme) + "://" + authority.host + ":" + authority.port +
                               std::string(path)};
  });
}

}  // namespace warpsight::top
