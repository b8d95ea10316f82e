#include "sinks/webhook/webhook_sink.h"

#include <chrono>
#include <utility>

#include "runtime/delivery.h"
#include "runtime/peer_options.h"
#include "runtime/spool_options.h"
#include "sinks/http_peer.h"
#include "sinks/webhook/body.h"
#include "sinks/webhook/signature.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

constexpr std::array kOwnOptions = {
    OptionDef{"enabled", OptionType::boolean, "false", "Post every publish as JSON to a URL."},
    OptionDef{
        "url", OptionType::text, "", "Where to, such as `https://host/hook`.", {}, check_http_url},
    OptionDef{"events_only", OptionType::boolean, "false",
              "Post events and no points, and only when there are events."},
    OptionDef{"max_points", OptionType::integer, "5000",
              "Points in one request; larger publishes are several requests.", "1..1000000"},
    OptionDef{"aliases", OptionType::boolean, "false",
              "Also send the alias names of the catalogue."},
    OptionDef{"compression", OptionType::choice, "none", "Of the body.", "none|gzip"},
    OptionDef{
        "signing.secret", OptionType::secret, "",
        "Sign each request: `X-Warpsight-Signature` is then `sha256=` and the HMAC-SHA256, in "
        "hexadecimal digits, of `X-Warpsight-Timestamp`, a full stop and the body as sent."},
};
constexpr auto kOptions = join_options(kOwnOptions, kPeerOptions, kSpoolOptions);

WebhookBodySettings body_settings(const Options& options) {
  return {.aliases = options.flag("aliases"),
          .events_only = options.flag("events_only"),
          .most_points = static_cast<uint32_t>(options.integer("max_points"))};
}

Compression compression_of(const Options& options) {
  return options.text("compression") == "gzip" ? Compression::gzip : Compression::none;
}

class WebhookSink final : public Sink {
 public:
  WebhookSink(const SinkContext& context, std::unique_ptr<HttpPeer> peer)
      : clock_(context.clock),
        bodies_(context.entities, context.resource, body_settings(context.options)),
        compressor_(compression_of(context.options)),
        secret_(context.options.secret("signing.secret")),
        peer_(std::move(peer)) {}

  void encode(const Snapshot& snapshot, Outbox& out) override { bodies_.encode(snapshot, out); }

  Delivery deliver(const Message& message) override {
    const auto body = compressor_.encode(message.bytes);
    if (!body) return Delivery::of(fail(body.error().message), "memory");
    const auto reply = peer_->post(headers_for(message, *body), *body);
    if (!reply) return reply.error();
    return delivery_of(*reply, RetryRule::generous, clock_.now());
  }

  void interrupt() override { peer_->interrupt(); }
  std::string peer() const override { return peer_->name(); }

 private:
  HttpHeaders headers_for(const Message& message, std::string_view body) const {
    HttpHeaders headers = {{"Content-Type", "application/json"},
                           {"X-Warpsight-Delivery", delivery_id(message.bytes)}};
    if (compressor_.compression() != Compression::none) {
      headers.emplace_back("Content-Encoding", wire_name(compressor_.compression()));
    }
    if (!secret_.empty()) {
      const int64_t now =
          std::chrono::floor<std::chrono::seconds>(clock_.now()).time_since_epoch().count();
      headers.emplace_back("X-Warpsight-Timestamp", std::to_string(now));
      headers.emplace_back("X-Warpsight-Signature", webhook_signature(secret_, now, body));
    }
    return headers;
  }

  const Clock& clock_;
  WebhookBodies bodies_;
  Compressor compressor_;
  std::string secret_;
  std::unique_ptr<HttpPeer> peer_;
};

}  // namespace

std::span<const OptionDef> webhook_sink_options() { return kOptions; }

Result<std::unique_ptr<Sink>> make_webhook_sink(const SinkContext& context) {
  auto peer = HttpPeer::make(context.options);
  if (!peer) return tl::unexpected(std::move(peer.error()));
  return std::make_unique<WebhookSink>(context, std::move(*peer));
}

std::unique_ptr<Sink> make_webhook_sink(const SinkContext& context,
                                        std::unique_ptr<HttpClient> client) {
  return std::make_unique<WebhookSink>(
      context, std::make_unique<HttpPeer>(context.options, std::move(client)));
}

}  // namespace warpsight
