#include "net/scripted_server_test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace warpsight::test {
namespace {

Fd listen_on_loopback(SocketAddress& address) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  ::bind(fd.get(), reinterpret_cast<sockaddr*>(&name), size);
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &size);
  address = {.host = "127.0.0.1", .port = ntohs(name.sin_port)};
  return fd;
}

}  // namespace

ServerConnection::ServerConnection(Fd fd, ServerTls* tls) : fd_(std::move(fd)) {
  if (tls == nullptr) return;
  ssl_ = tls->session(fd_.get());
  open_ = SSL_accept(ssl_) == 1;
  if (open_) return;
  // Closing with bytes unread would take back the alert that says why.
  ::shutdown(fd_.get(), SHUT_WR);
  char byte = 0;
  while (::recv(fd_.get(), &byte, 1, 0) > 0) {
  }
}

ServerConnection::~ServerConnection() {
  if (ssl_ != nullptr && open_) SSL_shutdown(ssl_);
  SSL_free(ssl_);
}

std::string ServerConnection::read_some() {
  if (!buffer_.empty()) return std::exchange(buffer_, {});
  std::string bytes(65536, '\0');
  const auto got = ssl_ != nullptr ? SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                   : ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
  open_ = open_ && got > 0;
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

std::string ServerConnection::read_until(std::string_view end) {
  std::string all;
  while (all.find(end) == std::string::npos) {
    const std::string more = read_some();
    if (more.empty()) return all;
    all += more;
  }
  const size_t size = all.find(end) + end.size();
  buffer_ = all.substr(size);
  all.resize(size);
  return all;
}

std::string ServerConnection::read_request() {
  std::string request = read_until("\r\n\r\n");
  const size_t length = request.find("Content-Length: ");
  if (length == std::string::npos) return request;
  const size_t whole = request.size() + std::strtoul(request.c_str() + length + 16, nullptr, 10);
  while (request.size() < whole && open_) request += read_some();
  if (request.size() > whole) {
    buffer_ = request.substr(whole);
    request.resize(whole);
  }
  return request;
}

bool ServerConnection::send(std::string_view bytes) {
  while (open_ && !bytes.empty()) {
    const auto sent = ssl_ != nullptr
                          ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                          : ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    open_ = sent > 0;
    if (open_) bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return open_;
}

void ServerConnection::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  open_ = false;
}

void ServerConnection::wait_until_client_closes() {
  while (!read_some().empty()) {
  }
}

bool ServerConnection::client_closes_within_ms(int ms) const {
  pollfd entry{fd_.get(), POLLRDHUP, 0};
  return ::poll(&entry, 1, ms) > 0;
}

void ServerConnection::shut_down() const { ::shutdown(fd_.get(), SHUT_RDWR); }

ScriptedServer::ScriptedServer(Script script, std::unique_ptr<ServerTls> tls)
    : script_(std::move(script)), tls_(std::move(tls)) {
  listener_ = listen_on_loopback(address_);
  start();
}

ScriptedServer::ScriptedServer(const std::string& path, Script script)
    : script_(std::move(script)) {
  address_ = {.kind = SocketAddress::Kind::unix_path, .path = path};
  listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&name), sizeof name);
  start();
}

void ScriptedServer::start() {
  std::signal(SIGPIPE, SIG_IGN);
  ::listen(listener_.get(), 16);
  acceptor_ = std::thread([this] { accept_all(); });
}

void ScriptedServer::accept_all() {
  for (;;) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return;
    ++connections_;
    const int at_once = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    const std::lock_guard lock(mutex_);
    const int copy = open_.emplace_back(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)).get();
    scripts_.emplace_back([this, copy, fd = std::move(fd)]() mutable {
      {
        ServerConnection connection(std::move(fd), tls_.get());
        if (connection.open()) script_(connection);
      }
      const std::lock_guard closing(mutex_);
      std::erase_if(open_, [&](const Fd& open) { return open.get() == copy; });
    });
  }
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const Fd& fd : open_) ::shutdown(fd.get(), SHUT_RDWR);
  }
  for (std::thread& script : scripts_) script.join();
}

std::string ScriptedServer::url(std::string_view path) const {
  return (tls_ ? "https://" : "http://") + to_string(address_) + std::string(path);
}

SocketAddress unused_address() {
  SocketAddress address;
  const Fd fd = listen_on_loopback(address);  // bound, never listening, then free again
  return address;
}

}  // namespace warpsight::test
