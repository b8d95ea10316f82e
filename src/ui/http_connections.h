// The connections of the HTTP server: how many there are, and how long each may take.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/clock.h"

struct bufferevent;
struct event;
struct event_base;
struct evconnlistener;
struct evhttp_request;

namespace warpsight {

class HttpConnections {
 public:
  enum class State {
    reading,  // a request with its TLS handshake, or waiting for the next
    working,  // on what was asked; the client need not hurry
    replying,
    streaming,  // for as long as the client likes
  };

  // Those that read or reply longer than `timeout` are ended.
  HttpConnections(event_base* base, size_t most, Duration timeout);
  ~HttpConnections();
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  // It is paused while there are `most` connections. nullptr: there is none any more.
  void set_listener(evconnlistener* listener) { listener_ = listener; }

  // For evhttp's use, which frees it; BEV_OPT_CLOSE_ON_FREE must be set.
  void add(bufferevent* events);
  void note(evhttp_request* request, State state);

  size_t count();
  // Whether there is one that waits for our reply.
  bool owes_reply();
  void sweep();

 private:
  struct EventFree {
    void operator()(event* timer) const;
  };
  // evhttp tells nobody when a connection ends, but takes its callbacks off the bufferevent then. A
  // reference of our own keeps that there to be asked. It also keeps its events in the loop, since
  // evhttp leaves it to the last reference to take them out: the descriptor must stay open until
  // then.
  struct Connection {
    bufferevent* events;
    SteadyTime since;  // it came into its state
    State state = State::reading;
  };

  void admit();

  const SystemClock clock_;
  const size_t most_;
  const Duration timeout_;
  std::unique_ptr<event, EventFree> timer_;
  evconnlistener* listener_ = nullptr;
  std::vector<Connection> connections_;
};

}  // namespace warpsight
