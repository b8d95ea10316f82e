#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "app/agent.h"
#include "app/exit_codes.h"
#include "app/one_reading.h"
#include "app/setup.h"
#include "app/verbs.h"
#include "runtime/log.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    kConfigFlag,
    kSimulateFlag,
    {"listen", 'l', "ADDR:PORT", "where to serve the page (default: 127.0.0.1:9465)"},
    {"once", '\0', {}, "read everything once, print it as JSON lines, and exit"},
    {"log-level", '\0', "error|warn|info|debug", "the least severe line to log"},
    {"log-format", '\0', "text|json", "how to log"},
};

constexpr Example kExamples[] = {
    {"warpsight run", "find what is there and serve it"},
    {"warpsight run --once | jq -r 'select(.metric == \"gpu.power.draw\") | .value'",
     "one reading, for a script"},
    {"warpsight run --simulate hung-driver --listen 127.0.0.1:9999", "watch it survive a hang"},
};

// Rates and activity are differences: the second run comes this long after the first.
constexpr Duration kOnceGap = std::chrono::milliseconds{500};

// The file's config with what the flags say put over it.
std::optional<Config> effective_config(const Arguments& arguments) {
  auto config = load_config_or_complain(arguments);
  if (!config) return std::nullopt;
  constexpr std::pair<std::string_view, std::string_view> kOverrides[] = {
      {"listen", "listen"}, {"log-level", "log.level"}, {"log-format", "log.format"}};
  for (const auto& [flag, key] : kOverrides) {
    if (!arguments.has(flag)) continue;
    if (const auto set = config->agent.set(key, arguments.value(flag)); !set) {
      fmt::print(stderr, "error: --{}: {}\n", flag, describe(set.error()));
      return std::nullopt;
    }
  }
  return config;
}

int run_once(Config config, const std::string& scenario) {
  for (Section& sink : config.sinks) {
    (void)sink.options.set("enabled", sink.name == "stdout" ? "true" : "false");
  }
  if (!config.agent.given("log.level")) (void)config.agent.set("log.level", "warn");
  configure_log_from(config);
  const SystemClock clock;
  Pipeline pipeline({std::move(config), scenario, own_executable()}, clock);
  const auto complete = run_twice(pipeline, clock, kOnceGap);
  if (!complete) {
    log_error("cannot start", {{"error", describe(complete.error())}});
    return kExitFailure;
  }
  pipeline.publish();
  stop_or_exit(pipeline);
  return *complete ? kExitOk : kExitFailure;
}

// Made here where it is missing, as a package or a service manager would have.
void ensure_state_dir(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return;
  log_warn("no state directory: nothing is remembered over a restart",
           {{"state_dir", path},
            {"error", error.message()},
            {"hint", "create it for this user, or set state_dir"}});
}

int run_agent(const Arguments& arguments) {
  auto config = effective_config(arguments);
  if (!config) return kExitBadConfig;
  const auto scenario = scenario_or_complain(arguments);
  if (!scenario) return kExitUsage;
  if (arguments.has("once")) return run_once(std::move(*config), *scenario);

  configure_log_from(*config);
  ensure_state_dir(config->agent.text("state_dir"));
  const SystemClock clock;
  Agent agent({std::move(*config), *scenario, own_executable(), true}, clock,
              [&] { return effective_config(arguments); });
  return agent.run();
}

}  // namespace

constinit const Verb kRunVerb{
    .name = "run",
    .summary = "Read what this machine has, serve it, send it on",
    .description =
        "Finds GPUs and the host by itself, says what it found and what it did not, and serves a "
        "page and Prometheus metrics on the loopback address. A config file narrows or extends "
        "that. SIGHUP reads the file again; SIGTERM stops within five seconds.",
    .flags = kFlags,
    .examples = kExamples,
    .run = run_agent,
};

}  // namespace warpsight
