#include "ui/origin_check.h"

#include <algorithm>

namespace warpsight {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

struct HostPort {
  std::string_view host;
  std::string_view port;  // empty: the scheme's own
};

HostPort split(std::string_view text) {
  const size_t colon = text.rfind(':');
  const size_t bracket = text.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
    return {text, {}};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool same_authority(std::string_view a, std::string_view b, std::string_view scheme_port) {
  const HostPort first = split(a);
  const HostPort second = split(b);
  const auto port = [&](const HostPort& it) { return it.port.empty() ? scheme_port : it.port; };
  return !first.host.empty() && same(first.host, second.host) && port(first) == port(second);
}

bool is_origin_of(std::string_view origin, std::string_view host, bool tls) {
  if (same(origin.substr(0, kHttps.size()), kHttps)) {
    return same_authority(origin.substr(kHttps.size()), host, "443");
  }
  if (tls || !same(origin.substr(0, kHttp.size()), kHttp)) return false;
  return same_authority(origin.substr(kHttp.size()), host, "80");
}

}  // namespace

bool is_own_origin(const RequestOrigin& request) {
  if (!request.fetch_site.empty() && !same(request.fetch_site, "same-origin") &&
      !same(request.fetch_site, "none")) {
    return false;
  }
  return request.origin.empty() || is_origin_of(request.origin, request.host, request.tls);
}

}  // namespace warpsight
