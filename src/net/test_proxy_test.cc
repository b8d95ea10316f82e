#include "net/test_proxy_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>

namespace warpsight::test {
namespace {

Fd connect_to_port(uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) fd.reset();
  return fd;
}

// False when `from` has ended.
bool pass_on(int from, int to) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
  return got > 0 &&
         write_all(to, {buffer.data(), static_cast<size_t>(got)}, std::chrono::seconds{20});
}

void splice(int a, int b) {
  for (;;) {
    std::array<pollfd, 2> entries = {pollfd{a, POLLIN, 0}, pollfd{b, POLLIN, 0}};
    ::poll(entries.data(), entries.size(), -1);
    if (entries[0].revents != 0 && !pass_on(a, b)) return;
    if (entries[1].revents != 0 && !pass_on(b, a)) return;
  }
}

}  // namespace

ScriptedServer::Script serve_proxy(std::string authorization, std::vector<std::string>& heads) {
  return [authorization = std::move(authorization), &heads](ServerConnection& connection) {
    const std::string head = connection.read_until("\r\n\r\n");
    heads.push_back(head);
    if (head.find("Proxy-Authorization: " + authorization + "\r\n") == std::string::npos &&
        !authorization.empty()) {
      connection.send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const size_t colon = head.find(':');
    const Fd peer =
        connect_to_port(static_cast<uint16_t>(std::strtoul(head.c_str() + colon + 1, nullptr, 10)));
    connection.send("HTTP/1.1 200 Connection established\r\n\r\n");
    splice(connection.fd(), peer.get());
  };
}

}  // namespace warpsight::test
