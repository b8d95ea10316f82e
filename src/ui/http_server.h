// A small HTTP server on the agent's event loop: a table of paths, answered at once, by a worker
// thread, or as a stream of events.
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
#include "ui/http_message.h"
#include "ui/server_tls.h"

struct event_base;

namespace warpsight {

struct HttpRoute {
  std::string path;
  // On the loop's thread; must be quick.
  std::function<void(const HttpRequest&, HttpResponse&)> handler = {};
  bool open = false;  // needs no credentials
  // Instead of a handler, for what may wait for a disk. Called on the loop's thread; what it
  // returns runs on the server's one worker. No job: the response says already why not.
  std::function<HttpJob(const HttpRequest&, HttpResponse&)> prepare = {};
  // The handler's body is the beginning of an event stream, which goes on with broadcast().
  bool stream = false;
  // Methods beside HEAD, separated by blanks. What is not GET changes something: it is taken from
  // the page itself and from programs, not from other sites' pages.
  std::string_view methods = "GET";
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
  size_t jobs = 32;          // that wait for the worker; more are answered with 503
  // Event streams at a time; more are answered with 503. Never more than three quarters of the
  // connections.
  size_t streams = 32;
  size_t stream_backlog = size_t{1} << 20;  // bytes a stream's client may leave unread
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
  // Closes every connection. The loop should run once more for libevent to free them. Waits for
  // the job that runs, if one does.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // With the port the kernel chose, where 0 was asked for.
  const SocketAddress& address() const;
  size_t connections() const;

  // Sends text to every open stream of that path. A client that reads too slowly is cut off.
  void broadcast(std::string_view path, std::string_view text);
  size_t streams(std::string_view path) const;

  // From the next connection and the next request on; streams end, so that they ask again.
  // Connections without TLS are of no more use when there was none before.
  void set_security(HttpSecurity security);
  bool has_tls() const;

  // Takes no more connections, ends the streams, and tells clients to close their connections
  // after the next reply.
  void stop_listening();
  // Whether every reply but streams has left, and no job runs.
  bool idle() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight
