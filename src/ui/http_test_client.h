// An HTTP client for tests: blocking, on a thread of its own beside the loop.
#pragma once

#include <string>
#include <string_view>

#include "platform/fd.h"
#include "platform/sockets.h"

namespace warpsight::test {

struct HttpReply {
  int status = 0;
  std::string head;  // status line and headers
  std::string body;

  bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

class HttpClient {
 public:
  explicit HttpClient(const SocketAddress& server);

  // Sends the request as it is, and reads one reply by its Content-Length. Empty status: the
  // server closed.
  HttpReply exchange(std::string_view request);
  HttpReply get(std::string_view path, std::string_view more_headers = {});
  void send(std::string_view bytes);
  HttpReply receive(bool head_only = false);
  bool connected() const { return static_cast<bool>(fd_); }
  // Whether no byte has come.
  bool nothing_yet() const;
  // Waits for the server to close.
  bool closed_by_peer();

 private:
  Fd fd_;
  std::string buffer_;
};

}  // namespace warpsight::test
