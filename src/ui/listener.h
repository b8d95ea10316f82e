// A socket that listens.
#pragma once

#include "core/result.h"
#include "platform/fd.h"
#include "platform/sockets.h"

namespace warpsight {

// Non-blocking, with TCP_NODELAY for every connection it takes. A unix socket's file that no
// process listens on any more is replaced.
Result<Fd> listen_on(const SocketAddress& address);

// The address a listener really has: the port the kernel chose for port 0.
SocketAddress bound_address(int fd, const SocketAddress& asked);

}  // namespace warpsight
