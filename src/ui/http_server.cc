#include "ui/http_server.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>
#include <unistd.h>

#include <algorithm>

#include "ui/http_admission.h"
#include "ui/http_connections.h"
#include "ui/http_held.h"
#include "ui/http_reply.h"
#include "ui/http_streams.h"
#include "ui/http_time.h"
#include "ui/http_worker.h"
#include "ui/listener.h"

namespace warpsight {
namespace {

using State = HttpConnections::State;

// All that evhttp can parse: what a route does not take gets a proper answer from us.
constexpr ev_uint16_t kParsedMethods = EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD |
                                       EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
                                       EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH;

// The most that is read ahead of evhttp, which takes a request's bytes as they come.
constexpr size_t kReadAhead = size_t{32} * 1024;

struct HttpFree {
  void operator()(evhttp* http) const { evhttp_free(http); }
};

bool came_encrypted(evhttp_request* request) {
  bufferevent* events = evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
  return bufferevent_openssl_get_ssl(events) != nullptr;
}

void overloaded(HttpResponse& response, std::string_view why) {
  response.status = 503;
  response.content_type = "text/plain; charset=utf-8";
  response.headers.emplace_back("Retry-After", "5");
  response.body.assign(why).append("\n");
}

}  // namespace

struct HttpServer::Impl {
  event_base* base;
  SocketAddress address;
  const std::vector<HttpRoute> routes;
  const HttpLimits limits;
  HttpSecurity security;
  HttpConnections connections;
  HttpStreams streams;
  HeldRequests working;
  std::unique_ptr<HttpWorker> worker;  // since the first job
  std::unique_ptr<evhttp, HttpFree> http;
  evhttp_bound_socket* socket = nullptr;
  bool stopping = false;
  std::string body;
  BodyPacker packer;

  Impl(event_base* loop, std::vector<HttpRoute> table, HttpLimits bounds, HttpSecurity how)
      : base(loop),
        routes(std::move(table)),
        limits(std::move(bounds)),
        security(std::move(how)),
        connections(loop, limits.connections, limits.timeout),
        streams(limits.stream_backlog, limits.timeout),
        http(evhttp_new(loop)),
        packer(limits.gzip_above) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    stop();
    worker.reset();
  }

  Result<> listen(const SocketAddress& asked);
  void configure();
  void stop();
  static bufferevent* on_connect(event_base* base, void* context);
  bufferevent* make_connection() const;
  void answer(evhttp_request* request);
  void handle(evhttp_request* request, const HttpRoute& route, HttpResponse& response);
  void prepare(evhttp_request* request, const HttpRoute& route, HttpResponse& response);
  bool submit(evhttp_request* request, const HttpRoute& route, HttpJob job);
  void deliver(HttpWorker::Filled& filled);
  void pack_and_reply(evhttp_request* request, HttpResponse& response);
  void reply(evhttp_request* request, const HttpResponse& response);
};

void HttpServer::Impl::stop() {
  if (stopping || socket == nullptr) return;
  stopping = true;
  connections.set_listener(nullptr);
  evhttp_del_accept_socket(http.get(), std::exchange(socket, nullptr));
  const bool file =
      address.kind == SocketAddress::Kind::unix_path && !address.path.starts_with('@');
  if (file) ::unlink(address.path.c_str());
  streams.cut_all();
}

Result<> HttpServer::Impl::listen(const SocketAddress& asked) {
  auto fd = listen_on(asked);
  if (!fd) return tl::unexpected(std::move(fd.error()));
  if (!http) return fail("cannot start the HTTP server: out of memory");
  address = bound_address(fd->get(), asked);
  socket = evhttp_accept_socket_with_handle(http.get(), fd->get());
  if (socket == nullptr) return fail("cannot start the HTTP server: out of memory");
  fd->release();
  configure();
  return {};
}

void HttpServer::Impl::configure() {
  evhttp_set_max_headers_size(http.get(), static_cast<ev_ssize_t>(limits.header_bytes));
  evhttp_set_max_body_size(http.get(), static_cast<ev_ssize_t>(limits.body_bytes));
  evhttp_set_allowed_methods(http.get(), kParsedMethods);
  const timeval timeout = to_timeval(limits.timeout);
  evhttp_set_timeout_tv(http.get(), &timeout);
  connections.set_listener(evhttp_bound_socket_get_listener(socket));
  evhttp_set_bevcb(http.get(), on_connect, this);
  evhttp_set_gencb(
      http.get(), [](evhttp_request* r, void* self) { static_cast<Impl*>(self)->answer(r); }, this);
}

bufferevent* HttpServer::Impl::make_connection() const {
  if (!security.tls) return bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  ssl_st* ssl = security.tls->accept();
  if (ssl == nullptr) return nullptr;
  return bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING,
                                        BEV_OPT_CLOSE_ON_FREE);
}

bufferevent* HttpServer::Impl::on_connect(event_base*, void* context) {
  auto* self = static_cast<Impl*>(context);
  bufferevent* events = self->make_connection();
  if (events == nullptr) return nullptr;  // evhttp makes one without TLS then, which is refused
  bufferevent_setwatermark(events, EV_READ, 0, kReadAhead);
  self->connections.add(events);
  return events;
}

void HttpServer::Impl::answer(evhttp_request* request) {
  body.clear();
  HttpResponse response{.body = body};
  const HttpAdmission admission{.routes = routes,
                                .security = security,
                                .hosts = limits.hosts,
                                .loopback = is_loopback(address),
                                .tls = came_encrypted(request)};
  const HttpRoute* route = admission.route(HttpRequest(request), response);
  if (route == nullptr) return pack_and_reply(request, response);
  if (route->prepare) return prepare(request, *route, response);
  handle(request, *route, response);
}

void HttpServer::Impl::handle(evhttp_request* request, const HttpRoute& route,
                              HttpResponse& response) {
  if (!route.stream) {
    route.handler(HttpRequest(request), response);
    return pack_and_reply(request, response);
  }
  const size_t most = std::min(limits.streams, limits.connections * 3 / 4);
  if (stopping || streams.count() >= most) {
    overloaded(response, "There are as many event streams as may be.");
    return reply(request, response);
  }
  response.content_type = "text/event-stream";
  route.handler(HttpRequest(request), response);
  const bool goes_on =
      response.status == 200 && evhttp_request_get_command(request) == EVHTTP_REQ_GET;
  if (!goes_on) return reply(request, response);
  connections.note(request, State::streaming);
  streams.open(request, response, route.path);
}

void HttpServer::Impl::prepare(evhttp_request* request, const HttpRoute& route,
                               HttpResponse& response) {
  HttpJob job = route.prepare(HttpRequest(request), response);
  if (!job) return pack_and_reply(request, response);
  if (submit(request, route, std::move(job))) return;
  overloaded(response, "Too much was asked at once. Ask again soon.");
  reply(request, response);
}

bool HttpServer::Impl::submit(evhttp_request* request, const HttpRoute& route, HttpJob job) {
  if (!worker) {
    worker = HttpWorker::start(base, {limits.jobs, limits.gzip_above},
                               [this](HttpWorker::Filled& filled) { deliver(filled); });
  }
  if (!worker) return false;
  const HeldRequests::Ticket ticket = working.hold(request, route.path);
  if (!worker->submit({ticket, std::move(job), accepts_packed(HttpRequest(request))})) {
    working.release(ticket);
    return false;
  }
  connections.note(request, State::working);
  return true;
}

void HttpServer::Impl::deliver(HttpWorker::Filled& filled) {
  evhttp_request* request = working.release(filled.ticket);
  if (request == nullptr) return;
  reply(request, {.status = filled.status,
                  .content_type = filled.content_type,
                  .body = filled.body,
                  .headers = std::move(filled.headers),
                  .packed = filled.packed});
}

void HttpServer::Impl::pack_and_reply(evhttp_request* request, HttpResponse& response) {
  if (accepts_packed(HttpRequest(request))) packer.pack(response);
  reply(request, response);
}

void HttpServer::Impl::reply(evhttp_request* request, const HttpResponse& response) {
  connections.note(request, State::replying);
  evhttp_request_set_on_complete_cb(
      request,
      [](evhttp_request* replied, void* self) {
        static_cast<Impl*>(self)->connections.note(replied, State::reading);
      },
      this);
  send_reply(request, response, stopping);
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(event_base* base,
                                                      const SocketAddress& address,
                                                      std::vector<HttpRoute> routes,
                                                      HttpLimits limits, HttpSecurity security) {
  auto impl =
      std::make_unique<Impl>(base, std::move(routes), std::move(limits), std::move(security));
  if (auto listening = impl->listen(address); !listening) {
    return tl::unexpected(std::move(listening.error()));
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

const SocketAddress& HttpServer::address() const { return impl_->address; }
size_t HttpServer::connections() const { return impl_->connections.count(); }

void HttpServer::broadcast(std::string_view path, std::string_view text) {
  impl_->streams.broadcast(path, text);
}

size_t HttpServer::streams(std::string_view path) const { return impl_->streams.count(path); }

void HttpServer::set_security(HttpSecurity security) {
  impl_->security = std::move(security);
  impl_->streams.cut_all();
}

bool HttpServer::has_tls() const { return impl_->security.tls != nullptr; }

void HttpServer::stop_listening() { impl_->stop(); }

bool HttpServer::idle() const {
  const bool working = impl_->worker && impl_->worker->busy();
  return !working && !impl_->connections.owes_reply();
}

}  // namespace warpsight
