// Where OTLP goes, as people and the OTEL_ variables write it.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "platform/sockets.h"

namespace warpsight::otlp {

// "http://host:4318/base" with `path` after its own. A path that is empty leaves the URL as it is.
// Errors never quote a URL that holds credentials.
Result<std::string> http_url(std::string_view endpoint, std::string_view path);

struct GrpcTarget {
  SocketAddress address;
  bool use_tls = false;

  friend bool operator==(const GrpcTarget&, const GrpcTarget&) = default;
};

// "http://host:4317" in the clear, "https://host" over TLS, "unix:/path"; "host:4317" over TLS
// unless `insecure`. The port is 4317 where none is given.
Result<GrpcTarget> grpc_target(std::string_view endpoint, bool insecure);

// For people: without a query, which may hold a key.
std::string display_url(std::string_view url);

}  // namespace warpsight::otlp
