#include "ui/http_server.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>

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

// How soon to look again whether a connection ended.
constexpr Duration kSweepInterval = std::chrono::milliseconds{50};

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
  // evhttp tells nobody when a connection ends, but takes its callbacks off the stream then. A
  // reference of our own keeps the stream there to be asked, and its descriptor open until we have:
  // the number must not be used again while the stream might still be polled.
  std::vector<bufferevent*> streams;
  std::unordered_set<const bufferevent*> answering;
  std::string body;
  std::string packed;
  GzipEncoder gzip;

  Impl(event_base* base, std::vector<HttpRoute> table, HttpLimits bounds)
      : routes(std::move(table)), limits(std::move(bounds)), http(evhttp_new(base)) {
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
  static void on_replied(evhttp_request* request, void* self);
  void answer(evhttp_request* request);
  void fill(const HttpRequest& request, evhttp_cmd_type method, HttpResponse& response);
  void send(evhttp_request* request, HttpResponse& response);
};

HttpServer::Impl::~Impl() {
  stop();
  http.reset();
  for (bufferevent* stream : streams) bufferevent_decref(stream);
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

// Lets go of the streams whose connections ended.
void HttpServer::Impl::sweep() {
  std::erase_if(streams, [&](bufferevent* stream) {
    bufferevent_data_cb read = nullptr;
    bufferevent_data_cb write = nullptr;
    bufferevent_event_cb error = nullptr;
    bufferevent_getcb(stream, &read, &write, &error, nullptr);
    if (read != nullptr || write != nullptr || error != nullptr) return false;
    answering.erase(stream);
    bufferevent_decref(stream);
    return true;
  });
}

// Pauses accepting while there are as many connections as may be, and sees to it that ended ones
// are let go of soon.
void HttpServer::Impl::admit() {
  if (!streams.empty()) {
    const timeval soon = to_timeval(kSweepInterval);
    event_add(sweep_timer.get(), &soon);
  }
  if (socket == nullptr) return;
  evconnlistener* listener = evhttp_bound_socket_get_listener(socket);
  if (streams.size() < limits.connections) {
    evconnlistener_enable(listener);
  } else {
    evconnlistener_disable(listener);
  }
}

bufferevent* HttpServer::Impl::on_connect(event_base* base, void* context) {
  auto* self = static_cast<Impl*>(context);
  self->sweep();
  bufferevent* stream = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  if (stream == nullptr) return nullptr;
  bufferevent_incref(stream);
  self->streams.push_back(stream);
  self->admit();  // without a sweep: evhttp has not put its callbacks on yet
  return stream;
}

void HttpServer::Impl::on_replied(evhttp_request* request, void* self) {
  evhttp_connection* connection = evhttp_request_get_connection(request);
  if (connection == nullptr) return;
  static_cast<Impl*>(self)->answering.erase(evhttp_connection_get_bufferevent(connection));
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
  if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
    response.status = 405;
    response.headers.emplace_back("Allow", "GET, HEAD");
    response.body = "Only GET and HEAD are understood here.\n";
    return;
  }
  const auto route = std::ranges::find(routes, request.path(), &HttpRoute::path);
  if (route != routes.end()) return route->handler(request, response);
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
  answering.insert(evhttp_connection_get_bufferevent(evhttp_request_get_connection(request)));
  evhttp_request_set_on_complete_cb(request, on_replied, this);
  evhttp_send_reply(request, response.status, reason_of(response.status), nullptr);
}

void HttpServer::Impl::answer(evhttp_request* request) {
  body.clear();
  HttpResponse response{.body = body};
  fill(HttpRequest(request), evhttp_request_get_command(request), response);
  send(request, response);
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(event_base* base,
                                                      const SocketAddress& address,
                                                      std::vector<HttpRoute> routes,
                                                      HttpLimits limits) {
  auto impl = std::make_unique<Impl>(base, std::move(routes), std::move(limits));
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

void HttpServer::stop_listening() { impl_->stop(); }

bool HttpServer::idle() const {
  impl_->sweep();
  return impl_->answering.empty();
}

}  // namespace warpsight
