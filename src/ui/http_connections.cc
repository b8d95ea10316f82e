#include "ui/http_connections.h"

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <sys/socket.h>

#include <algorithm>

#include "ui/http_time.h"

namespace warpsight {
namespace {

// How soon to look again whether a connection ended: while others wait for its place, and else.
constexpr Duration kSweepWhenFull = std::chrono::milliseconds{50};
constexpr Duration kSweepInterval = std::chrono::seconds{1};

bool in_use(bufferevent* events) {
  bufferevent_data_cb read = nullptr;
  bufferevent_data_cb write = nullptr;
  bufferevent_event_cb error = nullptr;
  bufferevent_getcb(events, &read, &write, &error, nullptr);
  return read != nullptr || write != nullptr || error != nullptr;
}

}  // namespace

void HttpConnections::EventFree::operator()(event* timer) const { event_free(timer); }

HttpConnections::HttpConnections(event_base* base, size_t most, Duration timeout)
    : most_(most), timeout_(timeout) {
  timer_.reset(event_new(
      base, -1, 0,
      [](evutil_socket_t, short, void* context) {
        auto* self = static_cast<HttpConnections*>(context);
        self->sweep();
        self->admit();
      },
      this));
}

HttpConnections::~HttpConnections() {
  for (const Connection& connection : connections_) bufferevent_decref(connection.events);
}

// Lets go of those that ended, and ends those that take too long: libevent's own timeout begins
// anew with every byte.
void HttpConnections::sweep() {
  const SteadyTime now = clock_.steady();
  std::erase_if(connections_, [&](const Connection& connection) {
    if (!in_use(connection.events)) {
      bufferevent_decref(connection.events);
      return true;
    }
    const bool hurries = connection.state == State::reading || connection.state == State::replying;
    if (hurries && now - connection.since > timeout_) {
      ::shutdown(bufferevent_getfd(connection.events), SHUT_RDWR);
    }
    return false;
  });
}

// Pauses accepting while there are as many connections as may be, and sees to it that ended ones
// are let go of soon.
void HttpConnections::admit() {
  const bool full = connections_.size() >= most_;
  if (!connections_.empty() && timer_ != nullptr) {
    const timeval next = to_timeval(full ? kSweepWhenFull : std::min(kSweepInterval, timeout_));
    event_add(timer_.get(), &next);
  }
  if (listener_ == nullptr) return;
  if (full) {
    evconnlistener_disable(listener_);
  } else {
    evconnlistener_enable(listener_);
  }
}

void HttpConnections::add(bufferevent* events) {
  sweep();
  bufferevent_incref(events);
  connections_.push_back({events, clock_.steady()});
  admit();  // without a sweep: evhttp has not put its callbacks on yet
}

void HttpConnections::note(evhttp_request* request, State state) {
  evhttp_connection* connection = evhttp_request_get_connection(request);
  if (connection == nullptr) return;
  const bufferevent* events = evhttp_connection_get_bufferevent(connection);
  const auto found = std::ranges::find(connections_, events, &Connection::events);
  if (found == connections_.end()) return;
  found->since = clock_.steady();
  found->state = state;
}

size_t HttpConnections::count() {
  sweep();
  return connections_.size();
}

bool HttpConnections::owes_reply() {
  sweep();
  return std::ranges::any_of(connections_, [](const Connection& connection) {
    return connection.state == State::working || connection.state == State::replying;
  });
}

}  // namespace warpsight
