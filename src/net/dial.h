// A connected socket.
#pragma once

#include "net/patience.h"
#include "platform/fd.h"
#include "platform/sockets.h"

namespace warpsight {

// Tries every address of the name in turn, each with its share of the time left. Non-blocking and
// without Nagle's delay. Looking up a name blocks beyond all patience where the resolver does.
TransportResult<Fd> dial(const SocketAddress& address, const Patience& patience);

}  // namespace warpsight
