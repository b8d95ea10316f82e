#include "sinks/otlp/otlp_sink.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/version.h"
#include "sinks/otlp/age_sieve.h"
#include "sinks/otlp/settings.h"
#include "wire/otlp/envelope.h"
#include "wire/otlp/logs_encoder.h"
#include "wire/otlp/metrics_encoder.h"

namespace warpsight {
namespace {

using otlp::Answer;
using otlp::Signal;

class OtlpSink final : public Sink {
 public:
  OtlpSink(const SinkContext& context, const otlp::Settings& settings,
           std::unique_ptr<otlp::Transport> transport)
      : entities_(context.entities),
        logs_(settings.logs),
        interval_(settings.interval),
        envelope_(context.resource, kVersion),
        metrics_(context.entities, envelope_, settings.form),
        transport_(std::move(transport)) {}

  void encode(const Snapshot& snapshot, Outbox& out) override {
    if (is_due(snapshot)) {
      const size_t requests = metrics_.take(snapshot);
      for (size_t i = 0; i < requests; ++i) {
        Message& message = out.add(static_cast<uint8_t>(Signal::metrics));
        message.points = metrics_.append_request(i, message.bytes);
      }
      last_ = snapshot.time;
    }
    if (logs_ && !snapshot.events.empty()) {
      Message& message = out.add(static_cast<uint8_t>(Signal::logs));
      message.points = static_cast<uint32_t>(snapshot.events.size());
      append_logs_request(message.bytes, envelope_, entities_, snapshot.events, snapshot.time);
    }
  }

  Delivery deliver(const Message& message) override {
    const auto signal = static_cast<Signal>(message.kind);
    if (signal != Signal::metrics && signal != Signal::logs) {
      return {.outcome = Delivery::Outcome::refused,
              .reason = "bad_message",
              .words = "a message that another version left behind"};
    }
    Answer answer = transport_->send(signal, message.bytes);
    if (signal == Signal::logs || !answer.for_age) return std::move(answer.delivery);
    return otlp::send_sieved(message.bytes, std::move(answer),
                             [&](std::string_view part) { return transport_->send(signal, part); });
  }

  void interrupt() override { transport_->interrupt(); }

  std::string peer() const override { return transport_->peer(); }

 private:
  // A publish that comes a little early is not made to wait for the next.
  bool is_due(const Snapshot& snapshot) const {
    const Duration since = snapshot.time - last_;
    return since < Duration::zero() || since + snapshot.interval / 2 >= interval_;
  }

  const EntityTable& entities_;
  const bool logs_;
  const Duration interval_;
  const otlp::Envelope envelope_;
  otlp::MetricsEncoder metrics_;
  const std::unique_ptr<otlp::Transport> transport_;
  Time last_{};  // of the metrics sent last
};

}  // namespace

std::span<const OptionDef> otlp_sink_options() { return otlp::options_table(); }

Result<std::unique_ptr<Sink>> make_otlp_sink(const SinkContext& context) {
  return make_otlp_sink(context, otlp::ClientFactory{});
}

Result<std::unique_ptr<Sink>> make_otlp_sink(const SinkContext& context,
                                             const otlp::ClientFactory& factory) {
  const auto settings = otlp::settings_of(context.options);
  if (!settings) return tl::unexpected(settings.error());
  auto transport =
      settings->protocol == otlp::Protocol::grpc
          ? otlp::make_grpc_transport(*settings, context.options, factory)
          : otlp::make_http_transport(*settings, context.options, context.clock, factory);
  return std::make_unique<OtlpSink>(context, *settings, std::move(transport));
}

}  // namespace warpsight
