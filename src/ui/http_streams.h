// Event streams: replies that go on for as long as the client reads.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/clock.h"
#include "ui/http_held.h"
#include "ui/http_message.h"

struct evhttp_request;

namespace warpsight {

class HttpStreams {
 public:
  // A client that leaves more than `backlog` bytes unread, or takes none for `timeout`, is cut off.
  HttpStreams(size_t backlog, Duration timeout) : backlog_(backlog), timeout_(timeout) {}

  // The response's body is the beginning. `path` must stay.
  void open(evhttp_request* request, const HttpResponse& response, std::string_view path);

  void broadcast(std::string_view path, std::string_view text);
  void cut_all();

  size_t count() const { return held_.all().size(); }
  size_t count(std::string_view path) const;

 private:
  HeldRequests held_;
  size_t backlog_;
  Duration timeout_;
};

}  // namespace warpsight
