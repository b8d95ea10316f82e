// GET requests whose answers arrive piece by piece, some of them for as long as the peer likes: one
// thread, one poll.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/clock.h"
#include "net/http_client.h"

namespace warpsight {

// What became known of a request.
struct StreamNews {
  enum class Kind : uint8_t {
    status,  // of the answer; its body follows
    bytes,   // of the body, decompressed
    ended,   // the answer is whole
    failed,  // and nothing more comes
  };

  uint64_t tag = 0;
  Kind kind = Kind::failed;
  int status = 0;
  std::string bytes = {};
  TransportFailure failure = {.kind = TransportFailure::Kind::interrupted, .message = {}};
};

// For one thread. Redirects are not followed: they are an answer.
class HttpStreams {
 public:
  // Loads libcurl with the first one. Of `settings` the timeout is not heeded, and the limit is of
  // the bytes that came and were not yet told.
  static TransportResult<std::unique_ptr<HttpStreams>> make(HttpClientSettings settings);
  virtual ~HttpStreams() = default;

  // Begins a request, whose `tag` no other under way has. It fails when nothing comes for `idle`,
  // be it before the answer's first byte or after any other.
  virtual void begin(uint64_t tag, const std::string& url, const HttpHeaders& headers,
                     Duration idle) = 0;

  // Drops a request: there is no more news of it.
  virtual void cancel(uint64_t tag) = 0;

  // The next news. nullopt when there was none until then, or when nothing is under way.
  virtual std::optional<StreamNews> next(SteadyTime until) = 0;

  virtual size_t under_way() const = 0;
};

}  // namespace warpsight
