#include "net/proxy_tunnel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>

#include "net/base64.h"
#include "net/foreign_text.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr size_t kLargestHead = size_t{16} * 1024;

tl::unexpected<TransportFailure> lost(const Proxy& proxy) {
  return fail(Kind::reset,
              fmt::format("the proxy {} closed the connection", to_string(proxy.address)),
              "is it an HTTP proxy that allows CONNECT?");
}

std::string request_for(const Proxy& proxy, const SocketAddress& peer) {
  const std::string target = to_string(peer);
  std::string request = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", target);
  if (!proxy.user.empty()) {
    request += fmt::format("Proxy-Authorization: Basic {}\r\n",
                           base64_encode(proxy.user + ":" + proxy.password));
  }
  return request + "\r\n";
}

TransportResult<> send_all(int fd, std::string_view bytes, const Proxy& proxy,
                           const Patience& patience, std::string_view doing) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      return lost(proxy);
    } else if (const auto ready = patience.wait(fd, POLLOUT, doing); !ready) {
      return ready;
    }
  }
  return {};
}

// Byte by byte: what follows the head belongs to the peer.
TransportResult<std::string> receive_head(int fd, const Proxy& proxy, const Patience& patience,
                                          std::string_view doing) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    char byte = 0;
    const ssize_t got = ::recv(fd, &byte, 1, 0);
    if (got > 0) {
      head += byte;
      if (head.size() > kLargestHead) {
        return fail(Kind::protocol, "the proxy's answer does not end", "is it an HTTP proxy?");
      }
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return lost(proxy);
    } else if (const auto ready = patience.wait(fd, POLLIN, doing); !ready) {
      return tl::unexpected(ready.error());
    }
  }
  return head;
}

// "HTTP/1.1 407 Proxy Authentication Required"; 0 for anything else.
int status_of(std::string_view head) {
  const size_t space = head.find(' ');
  int status = 0;
  if (head.starts_with("HTTP/1.") && space != std::string_view::npos) {
    std::from_chars(head.data() + space + 1, head.data() + head.size(), status);
  }
  return status;
}

}  // namespace

TransportResult<> open_tunnel(int fd, const Proxy& proxy, const SocketAddress& peer,
                              const Patience& patience) {
  const std::string doing = fmt::format("the answer of the proxy {}", to_string(proxy.address));
  if (const auto sent = send_all(fd, request_for(proxy, peer), proxy, patience, doing); !sent) {
    return sent;
  }
  const auto head = receive_head(fd, proxy, patience, doing);
  if (!head) return tl::unexpected(head.error());
  const int status = status_of(*head);
  if (status >= 200 && status < 300) return {};
  if (status == 0) {
    return fail(Kind::protocol,
                fmt::format("{} does not answer as a proxy", to_string(proxy.address)),
                "is it an HTTP proxy?");
  }
  return fail(
      Kind::connect,
      fmt::format("the proxy {} will not connect to {}: {}", to_string(proxy.address),
                  to_string(peer), printable_beginning(head->substr(0, head->find("\r\n")), 100)),
      status == 407 ? "give its credentials: proxy: http://user:password@host:port"
                    : "let the proxy allow this peer, or name it in NO_PROXY");
}

}  // namespace warpsight
