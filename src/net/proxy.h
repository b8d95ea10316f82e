// Which HTTP proxy to go through.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "platform/sockets.h"

namespace warpsight {

struct Proxy {
  SocketAddress address;
  std::string user;
  std::string password;
};

// "http://[user:password@]host[:port]", the scheme and a final slash being optional; the port is
// 1080 where none is given, as curl has it. User and password are percent-decoded. The error never
// quotes the text.
Result<Proxy> parse_proxy(std::string_view text);

// HTTPS_PROXY as people set it, but for peers that NO_PROXY names and those of this machine; empty
// for none. `variable` yields "" for one that is not set.
std::string proxy_of_environment(const SocketAddress& peer,
                                 const std::function<std::string(const char*)>& variable);

}  // namespace warpsight
