#include "top/top.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/exit_codes.h"
#include "app/own_node.h"
#include "app/setup.h"
#include "app/verbs.h"
#include "core/catalogue.h"
#include "core/quantity.h"
#include "platform/file.h"
#include "platform/sockets.h"
#include "runtime/log.h"
#include "top/address.h"
#include "top/remote_source.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    kConfigFlag,
    kSimulateFlag,
    {"host", 'H', "HOST[,HOST...]", "agents to look at: NAME, NAME:PORT or a URL"},
    {"once", '1', {}, "print a plain table and end"},
    {"json", '\0', {}, "print /api/v1/now and end; of several hosts an array"},
    {"interval", 'i', "DURATION", "time between two looks (default: 2s)"},
    {"token-file", '\0', "FILE", "file with the bearer token that agents want"},
    {"ca", '\0', "FILE", "PEM file of authorities to trust for https"},
    {"no-color", '\0', {}, "no colours; NO_COLOR in the environment does the same"},
    {"ascii", '\0', {}, "no characters beyond ASCII"},
};

constexpr Example kExamples[] = {
    {"warpsight top", "the agent of this node, or the node itself where none runs"},
    {"warpsight top --host gpu-a,gpu-b,gpu-c", "several nodes"},
    {"warpsight top --once", "one plain table, for a script or a ticket"},
    {"warpsight top --json | jq '.gpus[].values[\"gpu.power.draw\"]'", "for a script"},
};

constexpr std::string_view kHere = "localhost";
constexpr size_t kMaxTokenBytes = 16384;
constexpr size_t kMaxHosts = 64;

int complain(const Error& error, int code) {
  fmt::print(stderr, "error: {}\n", describe(error));
  return code;
}

Result<top::RemoteSettings> remote_settings(const Arguments& arguments) {
  top::RemoteSettings settings;
  settings.tls.ca = arguments.value("ca");
  if (!arguments.has("token-file")) return settings;
  auto token = read_file(arguments.value("token-file"), kMaxTokenBytes);
  if (!token) return tl::unexpected(std::move(token.error()));
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  settings.token = std::move(*token);
  return settings;
}

// Where the agent of this node is, as its config says; nothing where it serves no TCP address.
std::optional<std::string> own_address(const Options& agent) {
  const auto address = parse_address(agent.text("listen"));
  if (!address || address->kind != SocketAddress::Kind::tcp) return std::nullopt;
  SocketAddress reached = *address;
  if (reached.host == "0.0.0.0" || reached.host.empty()) reached.host = "127.0.0.1";
  if (reached.host == "::") reached.host = "::1";
  const bool tls = !agent.text("listen_tls.certificate").empty();
  return fmt::format("{}://{}", tls ? "https" : "http", to_string(reached));
}

Result<top::NamedSource> remote(std::string_view host, const top::RemoteSettings& settings) {
  const auto address = top::parse_address(host);
  if (!address) return tl::unexpected(address.error());
  auto source = top::make_remote_source(*address, settings);
  if (!source) return tl::unexpected(std::move(source.error()));
  return top::NamedSource{address->name, std::move(*source)};
}

Result<std::vector<top::NamedSource>> named_hosts(const std::string& hosts,
                                                  const top::RemoteSettings& settings) {
  std::vector<top::NamedSource> sources;
  Result<> outcome;
  for_each_token(hosts, ',', [&](std::string_view host) {
    auto source = remote(host, settings);
    if (source) {
      sources.push_back(std::move(*source));
    } else if (outcome) {
      outcome = tl::unexpected(std::move(source.error()));
    }
  });
  if (!outcome) return tl::unexpected(std::move(outcome.error()));
  if (sources.size() > kMaxHosts) {
    return fail(fmt::format("--host names more than {} hosts", kMaxHosts),
                "look at fewer; fleets are for Prometheus or an OTLP backend");
  }
  if (sources.empty()) return fail("--host names nobody", "write --host NAME[,NAME...]");
  return sources;
}

Result<> asked_once(const Result<top::NamedSource>& agent) {
  if (!agent) return tl::unexpected(agent.error());
  const auto answer = agent->source->now();
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

// The agent of this node; where none answers, the node itself.
top::NamedSource this_node(Config config, std::string scenario, top::RemoteSettings settings) {
  // The config's own credentials are for the agent that the config is of, and for nobody else.
  if (settings.token.empty()) {
    settings.token = config.agent.secret("listen_auth.bearer");
    settings.username = config.agent.text("listen_auth.username");
    settings.password = config.agent.secret("listen_auth.password");
  }
  if (scenario.empty()) {
    if (const auto address = own_address(config.agent)) {
      auto agent = remote(*address, settings);
      const Result<> answers = asked_once(agent);
      if (answers) return std::move(*agent);
      fmt::print(stderr, "{}: {}\n", *address, describe(answers.error()));
    }
    fmt::print(stderr, "no agent answers on this node: reading it without one\n");
  }
  if (!config.agent.given("log.level")) (void)config.agent.set("log.level", "error");
  configure_log_from(config);
  return {std::string(kHere), std::make_unique<OwnNode>(std::move(config), std::move(scenario))};
}

int show_top(const Arguments& arguments) {
  auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  auto scenario = scenario_or_complain(arguments);
  if (!scenario) return kExitUsage;
  if (arguments.has("host") && !scenario->empty()) {
    return complain({"--host and --simulate are of two minds", "give one of them"}, kExitUsage);
  }
  top::TopSettings settings;
  if (arguments.has("once")) settings.output = top::TopSettings::Output::once;
  if (arguments.has("json")) settings.output = top::TopSettings::Output::json;
  settings.colour = !arguments.has("no-color");
  settings.ascii = arguments.has("ascii");
  if (arguments.has("interval")) {
    const auto interval = parse_duration(arguments.value("interval"));
    if (!interval) {
      return complain({"--interval is no duration", "write one such as 500ms or 2s"}, kExitUsage);
    }
    settings.interval = std::max<Duration>(*interval, std::chrono::milliseconds{200});
  }
  const auto reach = remote_settings(arguments);
  if (!reach) return complain(reach.error(), kExitUsage);

  std::vector<top::NamedSource> sources;
  if (arguments.has("host")) {
    auto named = named_hosts(arguments.value("host"), *reach);
    if (!named) return complain(named.error(), kExitUsage);
    sources = std::move(*named);
  } else {
    sources.push_back(this_node(std::move(*config), std::move(*scenario), *reach));
  }
  const SystemClock clock;
  return run_top(settings, std::move(sources), clock);
}

}  // namespace

constinit const Verb kTopVerb{
    .name = "top",
    .summary = "Show GPUs, who uses them, engines and alerts in this terminal",
    .description =
        "Attaches to the agent that runs on this node, or to those of other nodes. Where no agent "
        "runs it reads the node itself, without history and alerts.\n\nPress ? for the keys.",
    .flags = kFlags,
    .examples = kExamples,
    .run = show_top,
};

}  // namespace warpsight
