// One request handed to a peer and its answer understood, over HTTP or gRPC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "net/grpc_client.h"
#include "net/http_client.h"
#include "runtime/sink.h"
#include "sinks/otlp/settings.h"

namespace warpsight::otlp {

// Of a message; the numbers stand in spools.
enum class Signal : uint8_t { metrics = 1, logs = 2 };

struct Answer {
  Delivery delivery;
  bool for_age = false;  // refused because samples in it are too old or out of order
};

// For one thread, but for interrupt().
class Transport {
 public:
  virtual ~Transport() = default;
  // `request` is protobuf, whatever is sent.
  virtual Answer send(Signal signal, std::string_view request) = 0;
  virtual void interrupt() = 0;
  // The address for people.
  virtual std::string peer() const = 0;
};

// How clients are made; a parameter for tests.
struct ClientFactory {
  std::function<TransportResult<std::unique_ptr<HttpClient>>(HttpClientSettings)> http =
      HttpClient::make;
  std::function<TransportResult<std::unique_ptr<GrpcClient>>(GrpcClientSettings)> grpc =
      GrpcClient::make;
};

// Clients are made when something is first sent. `clock` must outlive it.
std::unique_ptr<Transport> make_http_transport(Settings settings, const Options& options,
                                               const Clock& clock, const ClientFactory& factory);
std::unique_ptr<Transport> make_grpc_transport(Settings settings, const Options& options,
                                               const ClientFactory& factory);

}  // namespace warpsight::otlp
