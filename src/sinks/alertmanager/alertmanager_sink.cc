#include "sinks/alertmanager/alertmanager_sink.h"

#include <array>
#include <utility>

#include "runtime/delivery.h"
#include "runtime/peer_options.h"
#include "sinks/alertmanager/body.h"
#include "sinks/http_peer.h"

namespace warpsight {
namespace {

constexpr std::array kOwnOptions = {
    OptionDef{"enabled", OptionType::boolean, "false", "Send alerts to an Alertmanager."},
    OptionDef{"url",
              OptionType::text,
              "http://127.0.0.1:9093/api/v2/alerts",
              "Where it takes alerts.",
              {},
              check_http_url},
    OptionDef{"resend", OptionType::duration, "30s",
              "How often alerts that go on are said again. An Alertmanager that hears nothing for "
              "four times as long takes them for resolved.",
              "1s..10m"},
};
constexpr auto kOptions = join_options(kOwnOptions, kPeerOptions);

class AlertmanagerSink final : public Sink {
 public:
  AlertmanagerSink(const SinkContext& context, std::unique_ptr<HttpPeer> peer)
      : clock_(context.clock),
        bodies_(context.brief_resource, context.options.duration("resend")),
        alerts_(context.alerts),
        peer_(std::move(peer)) {}

  void encode(const Snapshot& snapshot, Outbox& out) override {
    if (alerts_ != nullptr)
      bodies_.encode(alerts_->alerts(), snapshot.time, snapshot.interval, out);
  }

  Delivery deliver(const Message& message) override {
    const auto reply = peer_->post({{"Content-Type", "application/json"}}, message.bytes);
    if (!reply) return reply.error();
    return delivery_of(*reply, RetryRule::generous, clock_.now());
  }

  void interrupt() override { peer_->interrupt(); }
  std::string peer() const override { return peer_->name(); }

 private:
  const Clock& clock_;
  AlertmanagerBodies bodies_;
  const AlertBook* alerts_;
  std::unique_ptr<HttpPeer> peer_;
};

}  // namespace

std::span<const OptionDef> alertmanager_sink_options() { return kOptions; }

Result<std::unique_ptr<Sink>> make_alertmanager_sink(const SinkContext& context) {
  auto peer = HttpPeer::make(context.options);
  if (!peer) return tl::unexpected(std::move(peer.error()));
  return std::make_unique<AlertmanagerSink>(context, std::move(*peer));
}

std::unique_ptr<Sink> make_alertmanager_sink(const SinkContext& context,
                                             std::unique_ptr<HttpClient> client) {
  return std::make_unique<AlertmanagerSink>(
      context, std::make_unique<HttpPeer>(context.options, std::move(client)));
}

}  // namespace warpsight
