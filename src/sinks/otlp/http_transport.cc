#include <utility>

#include "runtime/delivery.h"
#include "runtime/peer_options.h"
#include "sinks/otlp/answer.h"
#include "sinks/otlp/lazy_client.h"
#include "sinks/otlp/transport.h"
#include "wire/compression.h"
#include "wire/otlp/json_transcoder.h"
#include "wire/otlp/response.h"

namespace warpsight::otlp {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProtobuf = "application/x-protobuf";

Answer failed(Delivery::Outcome outcome, std::string_view reason, const Error& error) {
  return {
      .delivery = {.outcome = outcome, .reason = std::string(reason), .words = describe(error)}};
}

class HttpTransport final : public Transport {
 public:
  HttpTransport(Settings settings, const Options& options, const Clock& clock,
                const ClientFactory& factory)
      : settings_(std::move(settings)),
        clock_(clock),
        headers_(options),
        compressor_(settings_.compression),
        client_([this, make = factory.http] { return make(settings_.peer); }) {}

  Answer send(Signal signal, std::string_view request) override {
    auto headers = headers_.current();
    if (!headers) {
      return failed(Delivery::Outcome::unauthorized, "credentials", headers.error());
    }
    if (json() && !write_json(signal, request)) {
      return failed(Delivery::Outcome::refused, "bad_message",
                    {.message = "a message that cannot be read", .hint = "is the disk sound?"});
    }
    const auto body = compressor_.encode(json() ? json_ : request);
    if (!body) return failed(Delivery::Outcome::retry, "compression", body.error());
    headers->emplace_back("content-type", json() ? kJson : kProtobuf);
    if (settings_.compression != Compression::none) {
      headers->emplace_back("content-encoding", wire_name(settings_.compression));
    }
    const auto client = client_.get();
    if (!client) return {.delivery = delivery_of(client.error())};
    const std::string& url = signal == Signal::logs ? settings_.logs_url : settings_.metrics_url;
    const auto reply = (*client)->post(url, *headers, *body);
    if (!reply) return {.delivery = delivery_of(reply.error())};
    return understand(*reply);
  }

  void interrupt() override { client_.interrupt(); }

  std::string peer() const override { return display_url(settings_.metrics_url); }

 private:
  bool json() const { return settings_.protocol == Protocol::http_json; }

  bool write_json(Signal signal, std::string_view request) {
    json_.clear();
    return signal == Signal::logs ? append_logs_json(json_, request)
                                  : append_metrics_json(json_, request);
  }

  Answer understand(const HttpReply& reply) const {
    Delivery delivery = delivery_of(reply, RetryRule::otlp, clock_.now());
    if (delivery.outcome != Delivery::Outcome::accepted) {
      return not_taken(std::move(delivery), reply.body);
    }
    const std::string_view type = reply.header("content-type");
    const bool as_json = type.starts_with(kJson) || (json() && !type.starts_with(kProtobuf));
    return taken(as_json ? decode_json_response(reply.body) : decode_response(reply.body));
  }

  const Settings settings_;
  const Clock& clock_;
  PeerHeaders headers_;
  Compressor compressor_;
  std::string json_;
  LazyClient<HttpClient> client_;
};

}  // namespace

std::unique_ptr<Transport> make_http_transport(Settings settings, const Options& options,
                                               const Clock& clock, const ClientFactory& factory) {
  return std::make_unique<HttpTransport>(std::move(settings), options, clock, factory);
}

}  // namespace warpsight::otlp
