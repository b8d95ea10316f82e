#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "ui/http_test_client.h"

namespace warpsight::test {

HttpClient::HttpClient(const SocketAddress& server) {
  const bool tcp = server.kind == SocketAddress::Kind::tcp;
  Fd fd(::socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in inet{};
  inet.sin_family = AF_INET;
  inet.sin_port = htons(server.port);
  inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::strncpy(local.sun_path, server.path.c_str(), sizeof local.sun_path - 1);
  const auto* name =
      tcp ? reinterpret_cast<const sockaddr*>(&inet) : reinterpret_cast<const sockaddr*>(&local);
  const timeval patience{20, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (fd && ::connect(fd.get(), name, tcp ? sizeof inet : sizeof local) == 0) fd_ = std::move(fd);
}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

HttpReply HttpClient::receive(bool head_only) {
  HttpReply reply;
  size_t need = std::string::npos;
  size_t body_at = 0;
  for (;;) {
    if (const size_t end = buffer_.find("\r\n\r\n"); end != std::string::npos && body_at == 0) {
      body_at = end + 4;
      const size_t length = buffer_.find("Content-Length: ");
      need = body_at;
      if (!head_only && length < end) {
        need += static_cast<size_t>(std::strtoul(buffer_.c_str() + length + 16, nullptr, 10));
      }
    }
    if (buffer_.size() >= need && need != std::string::npos) break;
    char chunk[65536];
    const ssize_t n = ::recv(fd_.get(), chunk, sizeof chunk, 0);
    if (n <= 0) return reply;
    buffer_.append(chunk, static_cast<size_t>(n));
  }
  reply.head = buffer_.substr(0, body_at);
  reply.body = buffer_.substr(body_at, need - body_at);
  reply.status = std::atoi(reply.head.c_str() + reply.head.find(' ') + 1);
  buffer_.erase(0, need);
  return reply;
}

HttpReply HttpClient::exchange(std::string_view request) {
  send(request);
  return receive(request.starts_with("HEAD"));
}

HttpReply HttpClient::get(std::string_view path, std::string_view more_headers) {
  std::string request = "GET ";
  request.append(path).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more_headers);
  return exchange(request + "\r\n");
}

bool HttpClient::nothing_yet() const {
  char byte = 0;
  return buffer_.empty() && ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
}

bool HttpClient::closed_by_peer() {
  char byte = 0;
  return ::recv(fd_.get(), &byte, 1, 0) == 0;
}

}  // namespace warpsight::test
