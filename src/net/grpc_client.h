// Unary gRPC calls over one HTTP/2 connection, in the clear, over TLS or a unix socket.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "net/http_client.h"
#include "net/tls_settings.h"
#include "net/transport_failure.h"
#include "platform/sockets.h"

namespace warpsight {

struct GrpcClientSettings {
  SocketAddress address;
  bool use_tls = false;
  TlsSettings tls = {};
  std::string proxy = {};  // as in HttpClientSettings; never for a unix socket
  Duration timeout = std::chrono::seconds{10};
  size_t response_limit = size_t{1} << 20;
};

enum class GrpcEncoding : uint8_t { identity, gzip, zstd };

struct GrpcReply {
  int status = -1;           // grpc-status
  std::string message = {};  // grpc-message, percent-decoded
  std::string details = {};  // grpc-status-details-bin, decoded: a google.rpc.Status
  std::string body = {};     // of the one message, decompressed; empty when there is none
};

// For one thread, but for interrupt(). A connection that the peer gave up (GOAWAY, reset while
// idle) is replaced within the same call where the call was not yet processed.
class GrpcClient {
 public:
  static TransportResult<std::unique_ptr<GrpcClient>> make(GrpcClientSettings settings);
  virtual ~GrpcClient() = default;

  // `path` is "/package.Service/Method", `metadata` in lower case. A peer that answers with an
  // HTTP status and no gRPC status is told as the gRPC status that the protocol maps it to.
  virtual TransportResult<GrpcReply> call(const std::string& path, const HttpHeaders& metadata,
                                          std::string_view message, GrpcEncoding encoding) = 0;

  // From any thread: ends the call under way, and all later ones.
  virtual void interrupt() = 0;
};

}  // namespace warpsight
