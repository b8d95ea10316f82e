#include "sources/engines/page_address.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "sources/engines/scrape_options.h"

namespace warpsight::engines {
namespace {

constexpr const char* kHint =
    "write it as http://host:port/path, host:port or unix:/run/engine.sock:/path";

Result<PageAddress> parse_socket(std::string_view text) {
  const std::string_view rest = text.substr(std::string_view("unix:").size());
  const size_t colon = rest.find(":/");
  const std::string_view path = rest.substr(0, colon);
  if (!path.starts_with('/') || path.size() < 2) {
    return fail("a unix socket needs an absolute path", kHint);
  }
  return PageAddress{
      .origin = fmt::format("unix:{}:", path),
      .path = std::string(colon == std::string_view::npos ? "" : rest.substr(colon + 1)),
      .address = std::string(path)};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "host", "host:port", "[v6]:port": whether it can be one.
bool is_authority(std::string_view text, bool& has_port) {
  size_t end = text.find(':');
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return false;
    ++end;
  }
  const std::string_view host = text.substr(0, end);
  has_port = end != std::string_view::npos && end < text.size();
  const bool clean = std::ranges::none_of(host, [](char c) {
    return c <= ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '#' || c == '?';
  });
  return !host.empty() && clean &&
         (!has_port || (text[end] == ':' && is_number(text.substr(end + 1))));
}

std::string text_of(const sockaddr* address) {
  char text[NI_MAXHOST] = {};
  const socklen_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (getnameinfo(address, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return text;
}

}  // namespace

Result<PageAddress> parse_page_address(std::string_view text) {
  if (text.starts_with("unix:")) return parse_socket(text);
  std::string_view scheme = "http";
  if (const size_t mark = text.find("://"); mark != std::string_view::npos) {
    scheme = text.substr(0, mark);
    text.remove_prefix(mark + 3);
  }
  if (scheme != "http" && scheme != "https") {
    return fail("the address of a page begins with http://, https:// or unix:", kHint);
  }
  const size_t slash = std::min(text.find_first_of("/?"), text.size());
  const std::string_view authority = text.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return fail("the address of a page has credentials in it",
                "give them as auth.username and auth.password");
  }
  bool has_port = false;
  if (!is_authority(authority, has_port)) return fail("that is no address of a page", kHint);
  const std::string_view port = has_port ? "" : scheme == "https" ? ":443" : ":80";
  return PageAddress{.origin = fmt::format("{}://{}", scheme, authority),
                     .path = std::string(text.substr(slash)),
                     .address = fmt::format("{}{}", authority, port)};
}

Result<> check_page_address(std::string_view text) {
  auto parsed = parse_page_address(text);
  if (!parsed) return tl::unexpected(std::move(parsed.error()));
  return {};
}

std::string shown_url(std::string_view url) { return std::string(url.substr(0, url.find('?'))); }

LocalAddresses LocalAddresses::of_this_machine() {
  std::set<std::string, std::less<>> hosts = {"localhost", "127.0.0.1", "::1"};
  char name[HOST_NAME_MAX + 1] = {};
  if (gethostname(name, HOST_NAME_MAX) == 0 && name[0] != '\0') {
    const std::string_view whole(name);
    hosts.emplace(whole);
    hosts.emplace(whole.substr(0, whole.find('.')));
  }
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return LocalAddresses(std::move(hosts));
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    const bool internet = at->ifa_addr != nullptr && (at->ifa_addr->sa_family == AF_INET ||
                                                      at->ifa_addr->sa_family == AF_INET6);
    if (internet) hosts.insert(text_of(at->ifa_addr));
  }
  freeifaddrs(first);
  return LocalAddresses(std::move(hosts));
}

bool LocalAddresses::is_local(std::string_view host) const {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return hosts_.contains(host);
}

bool LocalAddresses::same(std::string_view a, std::string_view b) const {
  if (a == b) return true;
  const size_t a_colon = a.rfind(':');
  const size_t b_colon = b.rfind(':');
  if (a_colon == std::string_view::npos || b_colon == std::string_view::npos) return false;
  return a.substr(a_colon) == b.substr(b_colon) && is_local(a.substr(0, a_colon)) &&
         is_local(b.substr(0, b_colon));
}

}  // namespace warpsight::engines
