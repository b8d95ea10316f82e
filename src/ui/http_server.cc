#include "ui/http_server.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/log.h"
#include "ui/accept.h"
#include "ui/host_check.h"
#include "ui/listener.h"
#include "wire/gzip.h"

namespace warpsight {
namespace {

constexpr std::pair<const char*, const char*> kSecurityHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
};

// All that evhttp can parse: what is not GET or HEAD gets a proper answer from us.
constexpr ev_uint16_t kParsedMethods = EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD |
                                       EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
                                       EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH;

// How soon to look again whether a connection ended: while others wait for its place, and else.
constexpr Duration kSweepWhenFull = std::chrono::milliseconds{50};
constexpr Duration kSweepInterval = std::chrono::seconds{1};

// The most that is read ahead of evhttp, which takes a request's bytes as they come.
constexpr size_t kReadAhead = size_t{32} * 1024;

struct HttpFree {
  void operator()(evhttp* http) const { evhttp_free(http); }
};
struct EventFree {
  void operator()(event* timer) const { event_free(timer); }
};

timeval to_timeval(Duration duration) {
  const auto us = std::chrono::ceil<std::chrono::microseconds>(duration).count();
  return {us / 1'000'000, us % 1'000'000};
}

std::string_view text_or_empty(const char* text) {
  return text == nullptr ? std::string_view{} : std::string_view(text);
}

const char* reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 421: return "Misdirected Request";
    case 503: return "Service Unavailable";
    default: return "";
  }
}

}  // namespace

std::string_view HttpRequest::path() const {
  return text_or_empty(evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request_)));
}

std::string_view HttpRequest::query() const {
  return text_or_empty(evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request_)));
}

std::string_view HttpRequest::header(const char* name) const {
  return text_or_empty(evhttp_find_header(evhttp_request_get_input_headers(request_), name));
}

struct HttpServer::Impl {
  SocketAddress address;
  std::vector<HttpRoute> routes;
  HttpLimits limits;
  std::unique_ptr<evhttp, HttpFree> http;
  std::unique_ptr<event, EventFree> sweep_timer;
  evhttp_bound_socket* socket = nullptr;
  bool stopping = false;
  HttpSecurity security;
  const SystemClock clock;

  // evhttp tells nobody when a connection ends, but takes its callbacks off the stream then. A
  // reference of our own keeps the stream there to be asked. It also keeps the stream's events in
  // the loop, since evhttp leaves it to the last reference to take them out: the descriptor must
  // stay open until then, which BEV_OPT_CLOSE_ON_FREE sees to.
  struct Stream {
    bufferevent* events;
    SteadyTime since;  // it came, was last asked, or last replied
    bool answering = false;
  };
  std::vector<Stream> streams;
  std::string body;
  std::string packed;
  GzipEncoder gzip;

  Impl(event_base* base, std::vector<HttpRoute> table, HttpLimits bounds, HttpSecurity how)
      : routes(std::move(table)),
        limits(std::move(bounds)),
        http(evhttp_new(base)),
        security(std::move(how)) {
    sweep_timer.reset(event_new(
        base, -1, 0,
        [](evutil_socket_t, short, void* context) {
          auto* self = static_cast<Impl*>(context);
          self->sweep();
          self->admit();
        },
        this));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  Result<> listen(const SocketAddress& asked);
  void configure();
  void stop();
  void sweep();
  void admit();
  static bufferevent* on_connect(event_base* base, void* context);
  static void on_replied(evhttp_request* request, void* context);
  bufferevent* make_stream(event_base* base) const;
  void note(evhttp_request* request, bool answering);
  bool is_secure(evhttp_request* request) const;
  bool refused(const HttpRequest& request, const HttpRoute* route, HttpResponse& response) const;
  void answer(evhttp_request* request);
  void fill(const HttpRequest& request, evhttp_cmd_type method, HttpResponse& response);
  void send(evhttp_request* request, HttpResponse& response);
};

HttpServer::Impl::~Impl() {
  stop();
  http.reset();
  for (const Stream& stream : streams) bufferevent_decref(stream.events);
}

void HttpServer::Impl::stop() {
  if (stopping || socket == nullptr) return;
  stopping = true;
  evhttp_del_accept_socket(http.get(), std::exchange(socket, nullptr));
  const bool file =
      address.kind == SocketAddress::Kind::unix_path && !address.path.starts_with('@');
  if (file) ::unlink(address.path.c_str());
}

Result<> HttpServer::Impl::listen(const SocketAddress& asked) {
  auto fd = listen_on(asked);
  if (!fd) return tl::unexpected(std::move(fd.error()));
  if (!http || !sweep_timer) return fail("cannot start the HTTP server: out of memory");
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
  evhttp_set_bevcb(http.get(), on_connect, this);
  evhttp_set_gencb(
      http.get(), [](evhttp_request* r, void* self) { static_cast<Impl*>(self)->answer(r); }, this);
}

// Lets go of the streams whose connections ended, and ends those that take too long: libevent's own
// timeout begins anew with every byte.
void HttpServer::Impl::sweep() {
  const SteadyTime now = clock.steady();
  std::erase_if(streams, [&](const Stream& stream) {
    bufferevent_data_cb read = nullptr;
    bufferevent_data_cb write = nullptr;
    bufferevent_event_cb error = nullptr;
    bufferevent_getcb(stream.events, &read, &write, &error, nullptr);
    if (read != nullptr || write != nullptr || error != nullptr) {
      const bool late = now - stream.since > limits.timeout;
      if (late) ::shutdown(bufferevent_getfd(stream.events), SHUT_RDWR);
      return false;
    }
    bufferevent_decref(stream.events);
    return true;
  });
}

// Pauses accepting while there are as many connections as may be, and sees to it that ended ones
// are let go of soon.
void HttpServer::Impl::admit() {
  const bool full = streams.size() >= limits.connections;
  if (!streams.empty()) {
    const timeval next =
        to_timeval(full ? kSweepWhenFull : std::min(kSweepInterval, limits.timeout));
    event_add(sweep_timer.get(), &next);
  }
  if (socket == nullptr) return;
  evconnlistener* listener = evhttp_bound_socket_get_listener(socket);
  if (full) {
    evconnlistener_disable(listener);
  } else {
    evconnlistener_enable(listener);
  }
}

bufferevent* HttpServer::Impl::make_stream(event_base* base) const {
  if (!security.tls) return bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  ssl_st* ssl = security.tls->accept();
  if (ssl == nullptr) return nullptr;
  return bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING,
                                        BEV_OPT_CLOSE_ON_FREE);
}

bufferevent* HttpServer::Impl::on_connect(event_base* base, void* context) {
  auto* self = static_cast<Impl*>(context);
  self->sweep();
  bufferevent* stream = self->make_stream(base);
  if (stream == nullptr) return nullptr;  // evhttp makes one without TLS then; see is_secure
  bufferevent_setwatermark(stream, EV_READ, 0, kReadAhead);
  bufferevent_incref(stream);
  self->streams.push_back({stream, self->clock.steady()});
  self->admit();  // without a sweep: evhttp has not put its callbacks on yet
  return stream;
}

void HttpServer::Impl::on_replied(evhttp_request* request, void* context) {
  static_cast<Impl*>(context)->note(request, false);
}

void HttpServer::Impl::note(evhttp_request* request, bool answering) {
  evhttp_connection* connection = evhttp_request_get_connection(request);
  if (connection == nullptr) return;
  const bufferevent* events = evhttp_connection_get_bufferevent(connection);
  const auto stream = std::ranges::find(streams, events, &Stream::events);
  if (stream == streams.end()) return;
  stream->since = clock.steady();
  stream->answering = answering;
}

bool HttpServer::Impl::is_secure(evhttp_request* request) const {
  bufferevent* events = evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
  return !security.tls || bufferevent_openssl_get_ssl(events) != nullptr;
}

bool HttpServer::Impl::refused(const HttpRequest& request, const HttpRoute* route,
                               HttpResponse& response) const {
  const bool open = route != nullptr && route->open;
  if (open || security.authorization.allows(request.header("Authorization"))) return false;
  response.status = 401;
  security.authorization.for_each_challenge(
      [&](const char* challenge) { response.headers.emplace_back("WWW-Authenticate", challenge); });
  response.body = "This page wants a token or a password.\n";
  log_limited(LogLevel::info, "page", "a request without valid credentials was refused");
  return true;
}

void HttpServer::Impl::fill(const HttpRequest& request, evhttp_cmd_type method,
                            HttpResponse& response) {
  const std::string_view host = request.header("Host");
  if (!host.empty() && !is_host(host)) {
    response.status = 400;
    response.body = "The Host header is not a host.\n";
    return;
  }
  // Only a browser can be tricked, and browsers always say which host they mean.
  if (is_loopback(address) && !host.empty() && !names_this_machine(host, limits.hosts)) {
    response.status = 421;
    response.body =
        "This agent listens on loopback and answers only to localhost, to addresses and to the "
        "node's own name.\n";
    return;
  }
  const auto found = std::ranges::find(routes, request.path(), &HttpRoute::path);
  const HttpRoute* route = found == routes.end() ? nullptr : &*found;
  if (refused(request, route, response)) return;
  if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
    response.status = 405;
    response.headers.emplace_back("Allow", "GET, HEAD");
    response.body = "Only GET and HEAD are understood here.\n";
    return;
  }
  if (route != nullptr) return route->handler(request, response);
  response.status = 404;
  response.body = "Nothing here. What there is:\n";
  for (const HttpRoute& known : routes) response.body.append(known.path).append("\n");
}

void HttpServer::Impl::send(evhttp_request* request, HttpResponse& response) {
  evkeyvalq* headers = evhttp_request_get_output_headers(request);
  std::string_view payload = response.body;
  const HttpRequest asked(request);
  evhttp_add_header(headers, "Vary", "Accept, Accept-Encoding");
  if (payload.size() > limits.gzip_above && accepts_gzip(asked.header("Accept-Encoding")) &&
      gzip.encode(payload, packed)) {
    payload = packed;
    evhttp_add_header(headers, "Content-Encoding", "gzip");
  }
  evhttp_add_header(headers, "Content-Type", std::string(response.content_type).c_str());
  evhttp_add_header(headers, "Content-Length", std::to_string(payload.size()).c_str());
  for (const auto& [name, value] : kSecurityHeaders) evhttp_add_header(headers, name, value);
  for (const auto& [name, value] : response.headers) {
    evhttp_add_header(headers, name.c_str(), value.c_str());
  }
  if (stopping) evhttp_add_header(headers, "Connection", "close");

  if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD) {
    evbuffer_add(evhttp_request_get_output_buffer(request), payload.data(), payload.size());
  }
  note(request, true);
  evhttp_request_set_on_complete_cb(request, on_replied, this);
  evhttp_send_reply(request, response.status, reason_of(response.status), nullptr);
}

void HttpServer::Impl::answer(evhttp_request* request) {
  body.clear();
  HttpResponse response{.body = body};
  if (is_secure(request)) {
    fill(HttpRequest(request), evhttp_request_get_command(request), response);
  } else {
    response.status = 400;
    response.headers.emplace_back("Connection", "close");
    response.body = "This port speaks TLS.\n";
  }
  send(request, response);
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

size_t HttpServer::connections() const {
  impl_->sweep();
  return impl_->streams.size();
}

void HttpServer::set_security(HttpSecurity security) { impl_->security = std::move(security); }
bool HttpServer::has_tls() const { return impl_->security.tls != nullptr; }

void HttpServer::stop_listening() { impl_->stop(); }

bool HttpServer::idle() const {
  impl_->sweep();
  return std::ranges::none_of(impl_->streams, &Impl::Stream::answering);
}

}  // namespace warpsight
