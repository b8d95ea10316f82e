// Many GET requests at once, over connections that are kept: one thread, one poll.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/clock.h"
#include "net/http_client.h"

namespace warpsight {

struct Fetched {
  uint64_t tag = 0;
  TransportResult<HttpReply> reply;
  Duration took{};
};

// For one thread, but for interrupt(). Redirects are not followed: they are an answer.
class HttpFetcher {
 public:
  // Loads libcurl with the first one. `settings` are of every request.
  static TransportResult<std::unique_ptr<HttpFetcher>> make(HttpClientSettings settings);
  virtual ~HttpFetcher() = default;

  // Begins a request; its outcome comes from next() with `tag`, errors of the address too. The URL
  // is http://, https://, or unix:/path/of.socket:/path/of/page. `body` lends its memory. With
  // `direct` no proxy is used, whatever the settings and the environment say.
  virtual void begin(uint64_t tag, const std::string& url, const HttpHeaders& headers,
                     std::string body = {}, bool direct = false) = 0;

  // Drops a request: it has no outcome.
  virtual void cancel(uint64_t tag) = 0;

  // The next outcome. nullopt when none came until then, when nothing is under way, or when
  // interrupted.
  virtual std::optional<Fetched> next(SteadyTime until) = 0;

  virtual size_t under_way() const = 0;

  // From any thread: next() returns at once, now and later.
  virtual void interrupt() = 0;
};

}  // namespace warpsight
