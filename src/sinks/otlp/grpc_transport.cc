#include <utility>

#include "runtime/delivery.h"
#include "runtime/peer_options.h"
#include "sinks/otlp/answer.h"
#include "sinks/otlp/lazy_client.h"
#include "sinks/otlp/transport.h"
#include "wire/otlp/response.h"

namespace warpsight::otlp {
namespace {

constexpr const char* kMetricsPath =
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
constexpr const char* kLogsPath = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

GrpcEncoding encoding_of(Compression compression) {
  switch (compression) {
    case Compression::gzip: return GrpcEncoding::gzip;
    case Compression::zstd: return GrpcEncoding::zstd;
    case Compression::none:
    case Compression::snappy: break;
  }
  return GrpcEncoding::identity;
}

GrpcClientSettings client_settings(const Settings& settings, const GrpcTarget& target) {
  return {.address = target.address,
          .use_tls = target.use_tls,
          .tls = settings.peer.tls,
          .proxy = settings.peer.proxy,
          .timeout = settings.peer.timeout,
          .response_limit = settings.peer.response_limit};
}

class GrpcTransport final : public Transport {
 public:
  GrpcTransport(Settings settings, const Options& options, const ClientFactory& factory)
      : settings_(std::move(settings)),
        headers_(options),
        metrics_([this, make = factory.grpc] {
          return make(client_settings(settings_, settings_.metrics_target));
        }),
        logs_([this, make = factory.grpc] {
          return make(client_settings(settings_, settings_.logs_target));
        }) {}

  Answer send(Signal signal, std::string_view request) override {
    const auto headers = headers_.current();
    if (!headers) {
      return {.delivery = {.outcome = Delivery::Outcome::unauthorized,
                           .reason = "credentials",
                           .words = describe(headers.error())}};
    }
    const bool apart = signal == Signal::logs && settings_.logs_target != settings_.metrics_target;
    const auto client = (apart ? logs_ : metrics_).get();
    if (!client) return {.delivery = delivery_of(client.error())};
    const auto reply = (*client)->call(signal == Signal::logs ? kLogsPath : kMetricsPath, *headers,
                                       request, encoding_of(settings_.compression));
    if (!reply) return {.delivery = delivery_of(reply.error())};
    Delivery delivery = delivery_of(*reply);
    if (delivery.outcome == Delivery::Outcome::accepted) return taken(decode_response(reply->body));
    return not_taken(std::move(delivery), reply->message);
  }

  void interrupt() override {
    metrics_.interrupt();
    logs_.interrupt();
  }

  std::string peer() const override { return to_string(settings_.metrics_target.address); }

 private:
  const Settings settings_;
  PeerHeaders headers_;
  LazyClient<GrpcClient> metrics_;
  LazyClient<GrpcClient> logs_;  // where logs go elsewhere
};

}  // namespace

std::unique_ptr<Transport> make_grpc_transport(Settings settings, const Options& options,
                                               const ClientFactory& factory) {
  return std::make_unique<GrpcTransport>(std::move(settings), options, factory);
}

}  // namespace warpsight::otlp
