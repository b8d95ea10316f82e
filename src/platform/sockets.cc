#include "platform/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstring>
#include <optional>

namespace warpsight {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

tl::unexpected<Error> bad_address(std::string_view text, std::string_view why) {
  return fail(fmt::format("\"{}\" is not an address: {}", text, why),
              "write HOST:PORT, [IPV6]:PORT or unix:/path, such as 127.0.0.1:9465");
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || text.starts_with('-') || value > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

Result<SocketAddress> parse_unix(std::string_view text, std::string_view path) {
  if (path.empty() || (path.front() != '/' && path.front() != '@')) {
    return bad_address(text, "the socket's path must be absolute");
  }
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return bad_address(text, "the socket's path is too long");
  }
  return SocketAddress{
      .kind = SocketAddress::Kind::unix_path, .host = {}, .port = 0, .path = std::string(path)};
}

bool is_ipv6(const std::string& host) {
  in6_addr parsed{};
  return ::inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

}  // namespace

Result<SocketAddress> parse_address(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) return parse_unix(text, text.substr(kUnixPrefix.size()));
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad_address(text, "it has no port");
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(std::string(host))) return bad_address(text, "no IPv6 address in the brackets");
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return bad_address(text, "an IPv6 address needs brackets");
  }
  if (host.find_first_of(" \t/@") != std::string_view::npos) {
    return bad_address(text, "the host has characters that no host has");
  }
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return bad_address(text, "the port is not a number up to 65535");
  return SocketAddress{
      .kind = SocketAddress::Kind::tcp, .host = std::string(host), .port = *port, .path = {}};
}

std::string to_string(const SocketAddress& address) {
  if (address.kind == SocketAddress::Kind::unix_path)
    return std::string(kUnixPrefix) + address.path;
  const bool brackets = address.host.find(':') != std::string::npos;
  return brackets ? fmt::format("[{}]:{}", address.host, address.port)
                  : fmt::format("{}:{}", address.host, address.port);
}

bool is_loopback(const SocketAddress& address) {
  if (address.kind == SocketAddress::Kind::unix_path || address.host == "localhost") return true;
  in_addr v4{};
  if (::inet_pton(AF_INET, address.host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  if (::inet_pton(AF_INET6, address.host.c_str(), &v6) != 1) return false;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return v6.s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace warpsight
