#include "sinks/otlp/endpoint.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpsight::otlp {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kGrpcPort = ":4317";

struct Parts {
  std::string_view scheme;     // "http://", "https://" or nothing
  std::string_view authority;  // host and port
  std::string_view rest;       // path and query
};

std::string_view scheme_of(std::string_view endpoint) {
  for (const std::string_view scheme : {kHttp, kHttps}) {
    if (endpoint.starts_with(scheme)) return scheme;
  }
  return {};
}

Result<Parts> take_apart(std::string_view endpoint) {
  Parts parts;
  parts.scheme = scheme_of(endpoint);
  endpoint.remove_prefix(parts.scheme.size());
  const size_t end = std::min(endpoint.find_first_of("/?#"), endpoint.size());
  parts.authority = endpoint.substr(0, end);
  parts.rest = endpoint.substr(end);
  if (parts.authority.find('@') != std::string_view::npos) {
    return fail("the endpoint holds credentials",
                "give them as auth.username and auth.password instead");
  }
  return parts;
}

bool has_port(std::string_view authority) {
  const size_t colon = authority.rfind(':');
  return colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
}

}  // namespace

Result<std::string> http_url(std::string_view endpoint, std::string_view path) {
  const auto parts = take_apart(endpoint);
  if (!parts) return tl::unexpected(parts.error());
  if (parts->scheme.empty() || parts->authority.empty()) {
    return fail(fmt::format("\"{}\" is not an HTTP endpoint", display_url(endpoint)),
                "write it as http://host:4318 or https://host, or set protocol: grpc");
  }
  if (path.empty()) return std::string(endpoint);
  const size_t query = std::min(endpoint.find_first_of("?#"), endpoint.size());
  std::string_view base = endpoint.substr(0, query);
  while (base.ends_with('/')) base.remove_suffix(1);
  return fmt::format("{}{}{}", base, path, endpoint.substr(query));
}

Result<GrpcTarget> grpc_target(std::string_view endpoint, bool insecure) {
  if (endpoint.starts_with(kUnix)) {
    std::string_view path = endpoint.substr(kUnix.size());
    if (path.starts_with("//")) path.remove_prefix(2);
    auto address = parse_address(std::string(kUnix) + std::string(path));
    if (!address) return tl::unexpected(address.error());
    return GrpcTarget{.address = std::move(*address), .use_tls = false};
  }
  const auto parts = take_apart(endpoint);
  if (!parts) return tl::unexpected(parts.error());
  if (parts->authority.empty() || parts->authority.starts_with(':') ||
      parts->rest.find_first_not_of('/') != std::string_view::npos) {
    return fail(fmt::format("\"{}\" is not a gRPC endpoint", display_url(endpoint)),
                "write it as http://host:4317, https://host:4317 or unix:/path");
  }
  std::string address(parts->authority);
  if (!has_port(address)) address += kGrpcPort;
  auto parsed = parse_address(address);
  if (!parsed) return tl::unexpected(parsed.error());
  const bool clear = parts->scheme.empty() ? insecure : parts->scheme == kHttp;
  return GrpcTarget{.address = std::move(*parsed), .use_tls = !clear};
}

std::string display_url(std::string_view url) {
  return std::string(url.substr(0, url.find_first_of("?#")));
}

}  // namespace warpsight::otlp
