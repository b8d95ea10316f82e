// HTTP requests, one at a time, over a connection that is kept.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "net/tls_settings.h"
#include "net/transport_failure.h"

namespace warpsight {

// What every request says of its sender: "warpsight/1.2.3".
extern const std::string kUserAgent;

struct HttpClientSettings {
  TlsSettings tls = {};
  // "http://user:password@host:port". Empty: as the environment says (HTTPS_PROXY, NO_PROXY...).
  std::string proxy = {};
  Duration timeout = std::chrono::seconds{10};  // for the whole exchange
  size_t response_limit = size_t{1} << 20;      // bytes of body, after decompression
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpReply {
  int status = 0;
  std::string body = {};  // decompressed
  HttpHeaders headers = {};

  // Empty when there is none; the name in any case.
  std::string_view header(std::string_view name) const;
};

// For one thread, but for interrupt(). Redirects are not followed: they are an answer.
class HttpClient {
 public:
  // Loads libcurl with the first client: an agent that sends nothing never pays for it.
  static TransportResult<std::unique_ptr<HttpClient>> make(HttpClientSettings settings);
  virtual ~HttpClient() = default;

  virtual TransportResult<HttpReply> post(const std::string& url, const HttpHeaders& headers,
                                          std::string_view body) = 0;
  virtual TransportResult<HttpReply> get(const std::string& url, const HttpHeaders& headers) = 0;

  // From any thread: ends the exchange under way, and all later ones.
  virtual void interrupt() = 0;
};

}  // namespace warpsight
