#include "net/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "net/foreign_text.h"
#include "net/http_header.h"

namespace warpsight {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kDefaultPort = ":1080";

tl::unexpected<Error> bad_proxy(std::string_view why) {
  return fail("the proxy cannot be used: " + std::string(why),
              "write http://[user:password@]host:port");
}

bool is_ip(const std::string& host) {
  in6_addr parsed{};
  return ::inet_pton(AF_INET, host.c_str(), &parsed) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

bool ends_with_name(std::string_view host, std::string_view suffix) {
  return host.size() >= suffix.size() &&
         same_header_name(host.substr(host.size() - suffix.size()), suffix);
}

// Whether an item of NO_PROXY, "example.org", ".example.org", "*.example.org", "10.0.0.1:4317",
// means the peer.
bool names_peer(std::string_view item, const SocketAddress& peer) {
  if (item == "*") return true;
  if (item.starts_with('*')) item.remove_prefix(1);
  const std::string port = ":" + std::to_string(peer.port);
  if (std::ranges::count(item, ':') == 1 && item.ends_with(port)) {
    item.remove_suffix(port.size());
  }
  if (item.starts_with('[') && item.ends_with(']')) item = item.substr(1, item.size() - 2);
  if (item.empty()) return false;
  if (same_header_name(item, peer.host)) return true;
  if (is_ip(peer.host)) return false;
  const std::string suffix = (item.starts_with('.') ? "" : ".") + std::string(item);
  return ends_with_name("." + peer.host, suffix);
}

bool is_exempt(std::string_view no_proxy, const SocketAddress& peer) {
  while (!no_proxy.empty()) {
    const size_t comma = std::min(no_proxy.find_first_of(", "), no_proxy.size());
    if (names_peer(no_proxy.substr(0, comma), peer)) return true;
    no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
  }
  return false;
}

}  // namespace

Result<Proxy> parse_proxy(std::string_view text) {
  if (text.starts_with(kHttp)) text.remove_prefix(kHttp.size());
  if (text.find("://") != std::string_view::npos) return bad_proxy("it is not an http:// address");
  if (text.ends_with('/')) text.remove_suffix(1);
  Proxy proxy;
  if (const size_t at = text.rfind('@'); at != std::string_view::npos) {
    const std::string_view credentials = text.substr(0, at);
    const size_t colon = std::min(credentials.find(':'), credentials.size());
    proxy.user = percent_decode(credentials.substr(0, colon));
    proxy.password = percent_decode(credentials.substr(std::min(colon + 1, credentials.size())));
    text.remove_prefix(at + 1);
  }
  const bool has_port = text.rfind(':') != std::string_view::npos && !text.ends_with(']');
  auto address = parse_address(std::string(text) + std::string(has_port ? "" : kDefaultPort));
  if (!address || address->kind != SocketAddress::Kind::tcp || address->host.empty()) {
    return bad_proxy("it has no valid host and port");
  }
  proxy.address = std::move(*address);
  return proxy;
}

std::string proxy_of_environment(const SocketAddress& peer,
                                 const std::function<std::string(const char*)>& variable) {
  if (is_loopback(peer)) return {};
  const auto first_of = [&](const char* lower_case, const char* upper_case) {
    std::string value = variable(lower_case);
    if (value.empty()) value = variable(upper_case);
    return value;
  };
  if (is_exempt(first_of("no_proxy", "NO_PROXY"), peer)) return {};
  std::string proxy = first_of("https_proxy", "HTTPS_PROXY");
  if (proxy.empty()) proxy = first_of("all_proxy", "ALL_PROXY");
  return proxy;
}

}  // namespace warpsight
