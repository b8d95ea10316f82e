#include "sinks/otlp/settings.h"

#include <array>

#include "runtime/peer_options.h"
#include "runtime/spool_options.h"

namespace warpsight::otlp {
namespace {

constexpr std::array kOwnOptions = {
    OptionDef{"enabled", OptionType::boolean, "false",
              "Send every publish to an OpenTelemetry Collector, or whatever else speaks OTLP."},
    OptionDef{"endpoint", OptionType::text, "",
              "Where to: `http://host:4318` or `https://...`; with gRPC also `host:4317` and "
              "`unix:/path`. Empty: the Collector on this machine."},
    OptionDef{"protocol", OptionType::choice, "http/protobuf", "How.",
              "grpc|http/protobuf|http/json"},
    OptionDef{"metrics_endpoint", OptionType::text, "",
              "For metrics instead of `endpoint`; of HTTP the whole URL, used as it is."},
    OptionDef{"logs_endpoint", OptionType::text, "",
              "For events instead of `endpoint`; of HTTP the whole URL, used as it is."},
    OptionDef{"insecure", OptionType::boolean, "false",
              "Without TLS to a gRPC endpoint that says neither `http://` nor `https://`."},
    OptionDef{"compression", OptionType::choice, "gzip", "Of requests.", "none|gzip|zstd"},
    OptionDef{"temporality", OptionType::choice, "cumulative",
              "Counters and histograms since their start, or since the point before (`delta`, "
              "`lowmemory`). Sums that may fall are always since their start.",
              "cumulative|delta|lowmemory"},
    OptionDef{"histograms", OptionType::choice, "explicit",
              "Buckets as measured, or base-2 `exponential` ones estimated from them: no value is "
              "told more exactly than its bucket was.",
              "explicit|exponential"},
    OptionDef{"logs", OptionType::boolean, "true",
              "Send events as log records. Not sent where only `metrics_endpoint` is given."},
    OptionDef{"interval", OptionType::duration, "0s",
              "The least time between two sendings of metrics; 0: with every publish.", "0s..24h"},
};

constexpr auto kOptions = join_options(kOwnOptions, kPeerOptions, kSpoolOptions);

Protocol protocol_of(std::string_view name) {
  if (name == "grpc") return Protocol::grpc;
  return name == "http/json" ? Protocol::http_json : Protocol::http_protobuf;
}

Compression compression_of(std::string_view name) {
  if (name == "gzip") return Compression::gzip;
  return name == "zstd" ? Compression::zstd : Compression::none;
}

Result<> find_urls(const Options& options, Settings& settings) {
  const std::string& given = options.text("endpoint");
  const std::string base = given.empty() ? "http://localhost:4318" : given;
  const auto url = [&](std::string_view option, std::string_view path) {
    const std::string& own = options.text(option);
    return own.empty() ? http_url(base, path) : http_url(own, "");
  };
  auto metrics = url("metrics_endpoint", "/v1/metrics");
  if (!metrics) return tl::unexpected(metrics.error());
  auto logs = url("logs_endpoint", "/v1/logs");
  if (!logs) return tl::unexpected(logs.error());
  settings.metrics_url = std::move(*metrics);
  settings.logs_url = std::move(*logs);
  return {};
}

Result<> find_targets(const Options& options, Settings& settings) {
  const std::string& given = options.text("endpoint");
  const std::string base = given.empty() ? "http://localhost:4317" : given;
  const auto target = [&](std::string_view option) {
    const std::string& own = options.text(option);
    return grpc_target(own.empty() ? base : own, options.flag("insecure"));
  };
  auto metrics = target("metrics_endpoint");
  if (!metrics) return tl::unexpected(metrics.error());
  auto logs = target("logs_endpoint");
  if (!logs) return tl::unexpected(logs.error());
  settings.metrics_target = std::move(*metrics);
  settings.logs_target = std::move(*logs);
  return {};
}

}  // namespace

std::span<const OptionDef> options_table() { return kOptions; }

Result<Settings> settings_of(const Options& options) {
  auto peer = peer_settings(options);
  if (!peer) return tl::unexpected(peer.error());
  const bool metrics_alone = options.text("endpoint").empty() &&
                             options.text("logs_endpoint").empty() &&
                             !options.text("metrics_endpoint").empty();
  Settings settings{
      .protocol = protocol_of(options.text("protocol")),
      .compression = compression_of(options.text("compression")),
      .form = {.delta = options.text("temporality") != "cumulative",
               .exponential = options.text("histograms") == "exponential"},
      .logs = options.flag("logs") && !metrics_alone,
      .interval = options.duration("interval"),
      .peer = std::move(*peer),
      .metrics_url = {},
      .logs_url = {},
      .metrics_target = {},
      .logs_target = {},
  };
  const auto found = settings.protocol == Protocol::grpc ? find_targets(options, settings)
                                                         : find_urls(options, settings);
  if (!found) return tl::unexpected(found.error());
  return settings;
}

}  // namespace warpsight::otlp
