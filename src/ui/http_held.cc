#include "ui/http_held.h"

#include <event2/http.h>

#include <algorithm>

namespace warpsight {

HeldRequests::Ticket HeldRequests::hold(evhttp_request* request, std::string_view path) {
  evhttp_connection* connection = evhttp_request_get_connection(request);
  evhttp_connection_set_closecb(
      connection,
      [](evhttp_connection* closed, void* self) {
        static_cast<HeldRequests*>(self)->forget(closed);
      },
      this);
  held_.push_back({next_, path, request, connection});
  return next_++;
}

evhttp_request* HeldRequests::release(Ticket ticket) {
  const auto found = std::ranges::find(held_, ticket, &Held::ticket);
  if (found == held_.end()) return nullptr;
  const Held held = *found;
  held_.erase(found);
  evhttp_connection_set_closecb(held.connection, nullptr, nullptr);
  return held.request;
}

void HeldRequests::forget(evhttp_connection* connection) {
  const auto found = std::ranges::find(held_, connection, &Held::connection);
  if (found == held_.end()) return;
  evhttp_request* request = found->request;
  held_.erase(found);
  // When a client goes, evhttp parts a request that is not replied to from its connection and
  // leaves it to us; when we close, it frees both.
  if (evhttp_request_get_connection(request) == nullptr) evhttp_request_free(request);
}

}  // namespace warpsight
