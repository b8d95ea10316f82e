// One HTTP/2 connection as a client, with one request on it at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/byte_stream.h"
#include "net/http_client.h"
#include "net/patience.h"

namespace warpsight {

struct Http2Request {
  const HttpHeaders& headers;  // in lower case, ":method" and its like first
  std::string_view body;
  size_t response_limit;  // bytes of body
};

struct Http2Response {
  int status = 0;
  HttpHeaders headers;  // and trailers after them
  std::string body;
  std::optional<uint32_t> reset;  // the error code of a stream that the peer ended before its time

  // Of the last header of that name; empty when there is none.
  std::string_view header(std::string_view name) const;
  // Whether the peer vouches that it has not looked at the request.
  bool refused() const;
};

class Http2Connection {
 public:
  static TransportResult<std::unique_ptr<Http2Connection>> open(const StreamSettings& settings,
                                                                const Patience& patience);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  // Whether it takes one more request, after hearing what the peer said meanwhile.
  bool usable(const Patience& patience);

  // After a failure the connection is good for nothing.
  TransportResult<Http2Response> exchange(const Http2Request& request, const Patience& patience);

 private:
  class Session;
  explicit Http2Connection(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace warpsight
