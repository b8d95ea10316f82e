// Addresses to listen on and to connect to, as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace warpsight {

struct SocketAddress {
  enum class Kind { tcp, unix_path };

  Kind kind = Kind::tcp;
  std::string host = {};   // tcp: a name or an IP address without brackets; empty: any interface
  std::uint16_t port = 0;  // tcp; 0: the kernel chooses
  std::string path = {};   // unix_path

  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

// "127.0.0.1:9465", "[::1]:9465", "localhost:9465", ":9465" (any interface), "unix:/run/w.sock".
Result<SocketAddress> parse_address(std::string_view text);

std::string to_string(const SocketAddress& address);

// Whether only this machine can reach it. Names other than localhost count as reachable.
bool is_loopback(const SocketAddress& address);

}  // namespace warpsight
