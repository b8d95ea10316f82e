// An HTTP client for tests: blocking, on a thread of its own beside the loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "platform/fd.h"
#include "platform/sockets.h"

struct ssl_st;

namespace warpsight::test {

// PEM files.
struct ClientTls {
  std::string ca;
  std::string certificate = {};
  std::string key = {};
};

struct HttpReply {
  int status = 0;
  std::string head;  // status line and headers
  std::string body;

  bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

class HttpClient {
 public:
  explicit HttpClient(const SocketAddress& server);
  // Shakes hands, expecting a certificate for localhost.
  HttpClient(const SocketAddress& server, const ClientTls& tls);

  // Sends the request as it is, and reads one reply by its Content-Length. Empty status: the
  // server closed.
  HttpReply exchange(std::string_view request);
  HttpReply get(std::string_view path, std::string_view more_headers = {});
  void send(std::string_view bytes);
  HttpReply receive(bool head_only = false);
  // Of what comes, to the end of the first `text` in it. Empty: the server closed before.
  std::string read_to(std::string_view text);
  // Whatever comes until the server closes.
  std::string read_to_end();
  bool connected() const { return static_cast<bool>(fd_); }
  // Whether the handshake succeeded.
  bool secure() const { return tls_ != nullptr; }
  // Of the server's certificate.
  std::string peer_serial() const;
  // Whether no byte has come.
  bool nothing_yet() const;
  // Waits for the server to close.
  bool closed_by_peer();

 private:
  ssize_t read(char* out, size_t size);
  ssize_t write(std::string_view bytes);

  Fd fd_;
  std::shared_ptr<ssl_st> tls_;
  std::string buffer_;
};

}  // namespace warpsight::test
