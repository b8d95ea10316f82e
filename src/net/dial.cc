#include "net/dial.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

struct AddressListFreer {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListFreer>;

tl::unexpected<TransportFailure> refused(const SocketAddress& address, int error) {
  std::string_view hint = "see whether a firewall or a route is in the way";
  if (error == ECONNREFUSED || error == ENOENT) {
    hint = "is it running, and is the address right?";
  } else if (error == EACCES || error == EPERM) {
    hint = "let the agent's user open it";
  }
  return fail(Kind::connect,
              fmt::format("cannot connect to {}: {}", to_string(address), errno_text(error)),
              std::string(hint));
}

// A peer that vanished without a word is noticed within a minute, also between calls.
void keep_alive(int fd) {
  const auto set = [fd](int level, int name, int value) {
    ::setsockopt(fd, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

TransportResult<Fd> connect_one(const SocketAddress& address, const sockaddr* name, socklen_t size,
                                const Patience& patience) {
  Fd fd(::socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return refused(address, errno);
  if (name->sa_family != AF_UNIX) keep_alive(fd.get());
  if (::connect(fd.get(), name, size) == 0) return fd;
  // A unix socket whose queue is full says EAGAIN and cannot be waited for.
  if (errno != EINPROGRESS && errno != EINTR) return refused(address, errno);
  const auto ready =
      patience.wait(fd.get(), POLLOUT, fmt::format("connecting to {}", to_string(address)));
  if (!ready) return tl::unexpected(ready.error());
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  if (error != 0) return refused(address, error);
  return fd;
}

TransportResult<Fd> dial_unix(const SocketAddress& address, const Patience& patience) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof name.sun_path) {
    return fail(Kind::setup, fmt::format("{} is too long for a socket", to_string(address)));
  }
  address.path.copy(name.sun_path, sizeof name.sun_path - 1);
  const bool abstract = address.path.starts_with('@');
  if (abstract) name.sun_path[0] = '\0';
  const size_t size =
      offsetof(sockaddr_un, sun_path) + address.path.size() + (abstract ? size_t{0} : size_t{1});
  return connect_one(address, reinterpret_cast<const sockaddr*>(&name),
                     static_cast<socklen_t>(size), patience);
}

TransportResult<AddressList> look_up(const SocketAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  // No name at all is the loopback interface: "localhost" means that, whatever a resolver says.
  const bool loopback = address.host.empty() || address.host == "localhost";
  const char* host = loopback ? nullptr : address.host.c_str();
  const int error = ::getaddrinfo(host, std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return fail(Kind::resolve,
                fmt::format("no address for \"{}\": {}", address.host, ::gai_strerror(error)),
                "is the name right, and does DNS work on this machine?");
  }
  return AddressList(found);
}

}  // namespace

TransportResult<Fd> dial(const SocketAddress& address, const Patience& patience) {
  if (address.kind == SocketAddress::Kind::unix_path) return dial_unix(address, patience);
  const auto list = look_up(address);
  if (!list) return tl::unexpected(list.error());
  std::vector<const addrinfo*> candidates;
  for (const addrinfo* at = list->get(); at != nullptr; at = at->ai_next) candidates.push_back(at);
  TransportResult<Fd> last = refused(address, EADDRNOTAVAIL);
  for (size_t i = 0; i < candidates.size(); ++i) {
    Patience share = patience;
    share.deadline -= patience.left() * (candidates.size() - i - 1) / (candidates.size() - i);
    last = connect_one(address, candidates[i]->ai_addr, candidates[i]->ai_addrlen, share);
    if (last || last.error().kind == Kind::interrupted) break;
  }
  return last;
}

}  // namespace warpsight
