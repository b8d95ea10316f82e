// A server on the loopback that does what a script says, right or wrong.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "net/test_authority_test.h"
#include "platform/fd.h"
#include "platform/sockets.h"

struct ssl_st;

namespace warpsight::test {

// Blocking; with TLS where the server has a certificate.
class ServerConnection {
 public:
  ServerConnection(Fd fd, ServerTls* tls);
  ~ServerConnection();
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  bool open() const { return open_; }
  int fd() const { return fd_.get(); }
  std::string read_some();  // empty: the client has closed
  std::string read_until(std::string_view end);
  // One HTTP/1 request with its body, by its Content-Length.
  std::string read_request();
  // False when the client has closed.
  bool send(std::string_view bytes);
  // The client sees "connection reset by peer".
  void reset();
  void wait_until_client_closes();
  // Whether the client closes within some milliseconds.
  bool client_closes_within_ms(int ms) const;
  void shut_down() const;

 private:
  Fd fd_;
  ssl_st* ssl_ = nullptr;
  bool open_ = true;
  std::string buffer_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(ServerConnection&)>;

  // Each connection runs the script on a thread of its own; it is closed when the script returns.
  explicit ScriptedServer(Script script, std::unique_ptr<ServerTls> tls = nullptr);
  // On a unix socket.
  ScriptedServer(const std::string& path, Script script);
  ~ScriptedServer();

  const SocketAddress& address() const { return address_; }
  std::string url(std::string_view path = "/v1/metrics") const;
  int connections() const { return connections_; }

 private:
  void start();
  void accept_all();

  Script script_;
  SocketAddress address_;
  Fd listener_;
  std::unique_ptr<ServerTls> tls_;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::list<Fd> open_;  // duplicates, so that the end of the server ends the scripts
  std::list<std::thread> scripts_;
  std::thread acceptor_;
};

// A port of the loopback on which nobody listens.
SocketAddress unused_address();

}  // namespace warpsight::test
