// A small HTTP server on the agent's event loop: GET and HEAD of a table of paths.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "platform/sockets.h"
#include "ui/authorization.h"
#include "ui/server_tls.h"

struct event_base;
struct evhttp_request;

namespace warpsight {

// Valid inside the handler.
class HttpRequest {
 public:
  explicit HttpRequest(evhttp_request* request) : request_(request) {}
  std::string_view path() const;
  std::string_view query() const;
  // Empty when there is none.
  std::string_view header(const char* name) const;

 private:
  evhttp_request* request_;
};

struct HttpResponse {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string& body;  // empty at first; its memory is kept from request to request
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct HttpRoute {
  std::string path;
  std::function<void(const HttpRequest&, HttpResponse&)> handler;
  bool open = false;  // needs no credentials
};

struct HttpSecurity {
  std::unique_ptr<ServerTls> tls;  // nullptr: requests and replies cross the network in clear
  Authorization authorization;
};

struct HttpLimits {
  size_t connections = 128;  // more wait in the kernel's queue until one ends
  size_t header_bytes = size_t{16} * 1024;
  size_t body_bytes = size_t{4} * 1024;
  // For a request with its TLS handshake, a reply, or the next request.
  Duration timeout = std::chrono::seconds{15};
  size_t gzip_above = 1024;  // smaller bodies are not worth it
  // Names this machine goes by, beside localhost and addresses; see host_check.h.
  std::vector<std::string> hosts = {};
};

// Belongs to the loop's thread.
class HttpServer {
 public:
  // Binds and listens; requests are answered while the loop runs.
  static Result<std::unique_ptr<HttpServer>> start(event_base* base, const SocketAddress& address,
                                                   std::vector<HttpRoute> routes,
                                                   HttpLimits limits = {},
                                                   HttpSecurity security = {});
  // Closes every connection. The loop should run once more for libevent to free them.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // With the port the kernel chose, where 0 was asked for.
  const SocketAddress& address() const;
  size_t connections() const;

  // From the next connection and the next request on. Connections without TLS are of no more use
  // when there was none before.
  void set_security(HttpSecurity security);
  bool has_tls() const;

  // Takes no more connections and tells clients to close theirs after the next reply.
  void stop_listening();
  // Whether every reply has left.
  bool idle() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight
