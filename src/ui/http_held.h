// Requests whose reply is not at an end when their handler is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

struct evhttp_connection;
struct evhttp_request;

namespace warpsight {

// A client may go at any time: what is in here is still there. evhttp must be freed before.
class HeldRequests {
 public:
  using Ticket = uint64_t;
  struct Held {
    Ticket ticket;
    std::string_view path;  // of its route
    evhttp_request* request;
    evhttp_connection* connection;
  };

  HeldRequests() = default;
  HeldRequests(const HeldRequests&) = delete;
  HeldRequests& operator=(const HeldRequests&) = delete;

  // Within evhttp's callback. `path` must stay.
  Ticket hold(evhttp_request* request, std::string_view path);

  // For its reply. nullptr: its client is gone.
  evhttp_request* release(Ticket ticket);

  const std::vector<Held>& all() const { return held_; }

 private:
  void forget(evhttp_connection* connection);

  std::vector<Held> held_;
  Ticket next_ = 1;
};

}  // namespace warpsight
