#include "ui/listener.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace warpsight {
namespace {

constexpr int kBacklog = 128;

tl::unexpected<Error> fail_listen(const SocketAddress& address, int error) {
  const std::string what = fmt::format("cannot listen on {}", to_string(address));
  if (error == EADDRINUSE && address.kind == SocketAddress::Kind::tcp) {
    return fail(fmt::format("{}: the port is taken", what),
                fmt::format("see who has it with `ss -ltnp 'sport = :{}'` and stop that (another "
                            "warpsight?), or choose another with --listen ADDRESS:PORT",
                            address.port));
  }
  if (error == EADDRINUSE) {
    return fail(fmt::format("{}: another process listens there", what),
                "stop that, or choose another path with --listen unix:/path");
  }
  if (error == EADDRNOTAVAIL) {
    return fail(fmt::format("{}: this machine has no such address", what),
                "see `ip address`, or listen on every interface with --listen :PORT");
  }
  if (error == EACCES && address.kind == SocketAddress::Kind::tcp) {
    return fail(fmt::format("{}: permission denied", what),
                "ports below 1024 need CAP_NET_BIND_SERVICE; choose a higher one with --listen");
  }
  return fail_errno(what, error);
}

Fd make_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void set_flag(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

// errno, or 0 and the socket in `out`.
int try_listen(const addrinfo& candidate, bool both_families, Fd& out) {
  Fd fd = make_socket(candidate.ai_family);
  if (!fd) return errno;
  set_flag(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  // Without it a small write waits for the client's delayed acknowledgement, 40 ms a request.
  set_flag(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  if (candidate.ai_family == AF_INET6) {
    set_flag(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, both_families ? 0 : 1);
  }
  if (::bind(fd.get(), candidate.ai_addr, candidate.ai_addrlen) != 0) return errno;
  if (::listen(fd.get(), kBacklog) != 0) return errno;
  out = std::move(fd);
  return 0;
}

Result<Fd> listen_tcp(const SocketAddress& address) {
  // Any interface: IPv6's wildcard takes both families; IPv4's is for kernels without IPv6.
  const bool any = address.host.empty();
  const char* const hosts[] = {any ? "::" : address.host.c_str(), any ? "0.0.0.0" : nullptr};
  int error = EADDRNOTAVAIL;
  for (const char* host : hosts) {
    if (host == nullptr) continue;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int code = ::getaddrinfo(host, std::to_string(address.port).c_str(), &hints, &list);
    if (code != 0 && any) continue;
    if (code != 0) {
      return fail(fmt::format("cannot listen on {}: {}", to_string(address), ::gai_strerror(code)),
                  "write an address of this machine in digits, such as 127.0.0.1:9465");
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, ::freeaddrinfo);
    for (const addrinfo* candidate = list; candidate != nullptr; candidate = candidate->ai_next) {
      Fd fd;
      error = try_listen(*candidate, any, fd);
      if (error == 0) return fd;
      if (error == EADDRINUSE || error == EACCES) return fail_listen(address, error);
    }
  }
  return fail_listen(address, error);
}

bool nobody_listens(const sockaddr_un& name, socklen_t size) {
  const Fd probe = make_socket(AF_UNIX);
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 &&
         errno == ECONNREFUSED;
}

Result<Fd> listen_unix(const SocketAddress& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const bool abstract = address.path.starts_with('@');
  std::memcpy(name.sun_path, address.path.data(),
              std::min(address.path.size(), sizeof name.sun_path - 1));
  if (abstract) name.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.path.size() +
                                           (abstract ? 0 : 1));
  Fd fd = make_socket(AF_UNIX);
  if (!fd) return fail_listen(address, errno);
  const auto bind_it = [&] {
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), size) == 0 ? 0 : errno;
  };
  int error = bind_it();
  if (error == EADDRINUSE && !abstract && nobody_listens(name, size)) {
    ::unlink(name.sun_path);
    error = bind_it();
  }
  if (error == 0 && ::listen(fd.get(), kBacklog) != 0) error = errno;
  if (error != 0) return fail_listen(address, error);
  return fd;
}

}  // namespace

Result<Fd> listen_on(const SocketAddress& address) {
  return address.kind == SocketAddress::Kind::tcp ? listen_tcp(address) : listen_unix(address);
}

SocketAddress bound_address(int fd, const SocketAddress& asked) {
  SocketAddress bound = asked;
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (asked.kind != SocketAddress::Kind::tcp ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return bound;
  }
  // The port stands at the same place in both families' addresses.
  bound.port = ntohs(reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
  return bound;
}

}  // namespace warpsight
