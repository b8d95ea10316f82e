#include "ui/http_streams.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string>

#include "ui/http_reply.h"
#include "ui/http_time.h"

namespace warpsight {
namespace {

struct BufferFree {
  void operator()(evbuffer* buffer) const { evbuffer_free(buffer); }
};

using SharedText = std::shared_ptr<const std::string>;

// Without a copy of the text for each stream.
void send_chunk(evhttp_request* request, const SharedText& text) {
  const std::unique_ptr<evbuffer, BufferFree> chunk(evbuffer_new());
  if (chunk == nullptr || text->empty()) return;
  const auto release = [](const void*, size_t, void* kept) {
    delete static_cast<SharedText*>(kept);
  };
  auto* kept = new SharedText(text);
  if (evbuffer_add_reference(chunk.get(), text->data(), text->size(), release, kept) != 0) {
    delete kept;
    return;
  }
  evhttp_send_reply_chunk(request, chunk.get());
}

size_t unread(const HeldRequests::Held& stream) {
  bufferevent* events = evhttp_connection_get_bufferevent(stream.connection);
  return evbuffer_get_length(bufferevent_get_output(events));
}

// A client that vanished without a word acknowledges nothing: the next write to it fails then.
void notice_vanished(int fd, Duration timeout) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  const auto limit = static_cast<unsigned>(ms);
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
}

}  // namespace

void HttpStreams::open(evhttp_request* request, const HttpResponse& response,
                       std::string_view path) {
  bufferevent* events = evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
  const timeval patience = to_timeval(timeout_);
  bufferevent_set_timeouts(events, nullptr, &patience);
  notice_vanished(bufferevent_getfd(events), timeout_);
  held_.hold(request, path);
  add_headers(request, response);
  evhttp_send_reply_start(request, response.status, reason_of(response.status));
  send_chunk(request, std::make_shared<const std::string>(response.body));
}

void HttpStreams::broadcast(std::string_view path, std::string_view text) {
  const auto shared = std::make_shared<const std::string>(text);
  const std::vector<HeldRequests::Held> streams = held_.all();
  for (const HeldRequests::Held& stream : streams) {
    if (stream.path != path) continue;
    if (unread(stream) > backlog_) {
      evhttp_connection_free(stream.connection);
    } else {
      send_chunk(stream.request, shared);
    }
  }
}

void HttpStreams::cut_all() {
  const std::vector<HeldRequests::Held> streams = held_.all();
  for (const HeldRequests::Held& stream : streams) evhttp_connection_free(stream.connection);
}

size_t HttpStreams::count(std::string_view path) const {
  return static_cast<size_t>(std::ranges::count(held_.all(), path, &HeldRequests::Held::path));
}

}  // namespace warpsight
