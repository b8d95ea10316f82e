#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "app/exit_codes.h"
#include "app/one_reading.h"
#include "app/owners_text.h"
#include "app/setup.h"
#include "app/verbs.h"
#include "ui/owners_json.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    kConfigFlag,
    kSimulateFlag,
    {"json", '\0', {}, "print JSON, as /api/v1/owners of a running agent does"},
    {"explain", '\0', {}, "also print everything that was asked, and the answers"},
};

constexpr Example kExamples[] = {
    {"warpsight owners", "who holds and who uses each GPU"},
    {"warpsight owners --explain", "and how that is known"},
    {"warpsight owners --json | jq -r '.devices[].owners[].name'", "for a script"},
};

// Drivers sample what processes do about once a second.
constexpr Duration kGap = std::chrono::milliseconds{1200};

bool concerns_owners(std::string_view source) {
  constexpr std::array kSources = {std::string_view("nvml"), std::string_view("processes"),
                                   std::string_view("kubernetes"), std::string_view("slurm")};
  return std::ranges::find(kSources, source) != kSources.end();
}

Config only_owners(Config config) {
  for (Section& sink : config.sinks) (void)sink.options.set("enabled", "false");
  for (Section& source : config.sources) {
    if (!concerns_owners(source.type())) (void)source.options.set("enabled", "false");
  }
  if (!config.agent.given("log.level")) (void)config.agent.set("log.level", "warn");
  return config;
}

int show_owners(const Arguments& arguments) {
  auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  const auto scenario = scenario_or_complain(arguments);
  if (!scenario) return kExitUsage;
  Config narrowed = only_owners(std::move(*config));
  configure_log_from(narrowed);
  const SystemClock clock;
  Pipeline pipeline({std::move(narrowed), *scenario, own_executable()}, clock);
  const auto complete = run_twice(pipeline, clock, kGap, [&] { pipeline.publish(); });
  if (!complete) {
    fmt::print(stderr, "error: {}\n", describe(complete.error()));
    return kExitFailure;
  }
  pipeline.publish();
  const identity::OwnersReport report = pipeline.owners();
  if (arguments.has("json")) {
    std::string json;
    append_owners_json(json, report);
    fmt::print("{}", json);
  } else {
    if (!scenario->empty()) fmt::print("SIMULATED: these GPUs come from a scenario\n");
    fmt::print("{}", owners_text(report, arguments.has("explain")));
  }
  std::fflush(stdout);
  stop_or_exit(pipeline);
  return *complete ? kExitOk : kExitFailure;
}

}  // namespace

constinit const Verb kOwnersVerb{
    .name = "owners",
    .summary = "Say whose each GPU is, who uses it, and how that is known",
    .description =
        "Reads the GPUs, the processes on them, the kubelet and Slurm once, as the config says, "
        "and prints for every GPU and MIG instance who holds it, who uses it and how much, with "
        "the evidence. Nothing is guessed: what no lookup answered is said to be unknown.",
    .flags = kFlags,
    .examples = kExamples,
    .run = show_owners,
};

}  // namespace warpsight
