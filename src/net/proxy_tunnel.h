// A tunnel through an HTTP proxy, by CONNECT.
#pragma once

#include "net/patience.h"
#include "net/proxy.h"
#include "platform/sockets.h"

namespace warpsight {

// Asks the proxy behind `fd` for a connection to `peer`. On success the next bytes on `fd` are the
// peer's.
TransportResult<> open_tunnel(int fd, const Proxy& proxy, const SocketAddress& peer,
                              const Patience& patience);

}  // namespace warpsight
