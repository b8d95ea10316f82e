#include "sinks/remote_write/remote_write_sink.h"

#include <utility>

#include "runtime/peer_options.h"
#include "runtime/spool_options.h"
#include "sinks/remote_write/encoder.h"
#include "sinks/remote_write/peer.h"
#include "sinks/remote_write/target.h"

namespace warpsight {
namespace {

constexpr std::array kOwnOptions = {
    OptionDef{"enabled", OptionType::boolean, "false",
              "Send every publish to a receiver of Prometheus remote write."},
    OptionDef{"url",
              OptionType::text,
              "",
              "The receiver, such as `https://prometheus:9090/api/v1/write`.",
              {},
              check_http_url},
    OptionDef{"version", OptionType::choice, "auto",
              "Of remote write. `auto` begins with 2.0 and falls back for receivers that do not "
              "know it.",
              "auto|1.0|2.0"},
    OptionDef{"job", OptionType::text, "warpsight", "Label `job` of every series."},
    OptionDef{"instance", OptionType::text, "",
              "Label `instance` of every series. Empty: the host's name."},
    OptionDef{"resource_labels", OptionType::list, "host.name",
              "Attributes of the resource that become labels of every series; all of them are on "
              "`target_info`."},
    OptionDef{"external_labels", OptionType::map, "",
              "Labels for every series that does not have them already."},
    OptionDef{"aliases", OptionType::boolean, "false",
              "Also send the alias names of the catalogue."},
};
constexpr auto kOptions = join_options(kOwnOptions, kPeerOptions, kSpoolOptions);

std::optional<RemoteWriteVersion> version_of(const Options& options) {
  const std::string& text = options.text("version");
  if (text == "1.0") return RemoteWriteVersion::v1;
  if (text == "2.0") return RemoteWriteVersion::v2;
  return std::nullopt;
}

class RemoteWriteSink final : public Sink {
 public:
  RemoteWriteSink(const SinkContext& context, RemoteTarget target, std::unique_ptr<HttpPeer> peer)
      : encoder_(context.entities, std::move(target), context.options.flag("aliases")),
        peer_(std::move(peer), version_of(context.options), context.clock) {}

  void encode(const Snapshot& snapshot, Outbox& out) override { encoder_.encode(snapshot, out); }
  Delivery deliver(const Message& message) override { return peer_.deliver(message); }
  void interrupt() override { peer_.interrupt(); }
  std::string peer() const override { return peer_.name(); }

 private:
  RemoteWriteEncoder encoder_;
  RemoteWritePeer peer_;
};

Result<std::unique_ptr<Sink>> make(const SinkContext& context, std::unique_ptr<HttpPeer> peer) {
  auto target = make_remote_target(context.options, context.resource);
  if (!target) return tl::unexpected(std::move(target.error()));
  return std::make_unique<RemoteWriteSink>(context, std::move(*target), std::move(peer));
}

}  // namespace

std::span<const OptionDef> remote_write_sink_options() { return kOptions; }

Result<std::unique_ptr<Sink>> make_remote_write_sink(const SinkContext& context) {
  auto peer = HttpPeer::make(context.options);
  if (!peer) return tl::unexpected(std::move(peer.error()));
  return make(context, std::move(*peer));
}

Result<std::unique_ptr<Sink>> make_remote_write_sink(const SinkContext& context,
                                                     std::unique_ptr<HttpClient> client) {
  return make(context, std::make_unique<HttpPeer>(context.options, std::move(client)));
}

}  // namespace warpsight
