#include "sources/nvml/record.h"

#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "app/exit_codes.h"
#include "app/setup.h"
#include "app/verbs.h"
#include "core/clock.h"
#include "core/quantity.h"
#include "platform/file.h"
#include "sources/nvml/source.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    kConfigFlag,
    {"output", 'o', "FILE", "where the scenario goes (default: standard output)"},
    {"duration", 'd', "TIME", "how long to record (default: 10s)"},
    {"interval", 'i', "TIME", "time between readings (default: 1s)"},
};

constexpr Example kExamples[] = {
    {"warpsight record nvml --duration 60s -o busy.yaml", "record this machine's GPUs"},
    {"warpsight run --simulate busy.yaml", "play it anywhere"},
};

int complain(const Error& error) {
  fmt::print(stderr, "error: {}\n", describe(error));
  return kExitFailure;
}

int run_record(const Arguments& arguments) {
  const auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  const auto length = parse_duration(arguments.value("duration", "10s"));
  const auto interval = parse_duration(arguments.value("interval", "1s"));
  if (!length || !interval || *interval < std::chrono::milliseconds{100}) {
    fmt::print(stderr, "error: --duration and --interval are times such as 30s; at least 100ms\n");
    return kExitUsage;
  }

  const SystemClock clock;
  EntityTable entities;
  CallTrace trace;
  const SourceContext context{clock,
                              entities,
                              section_of(config->sources, "nvml").options,
                              trace,
                              config->agent.text("root"),
                              {},
                              {},
                              {},
                              {}};
  fmt::print(stderr, "recording for {:.0f} s...\n", to_seconds(*length));
  const auto scenario = nvml::record(context, *length, *interval);
  if (!scenario) return complain(scenario.error());
  const std::string path = arguments.value("output");
  if (path.empty()) {
    fmt::print("{}", *scenario);
    return kExitOk;
  }
  if (const auto written = write_file_atomically(path, *scenario); !written) {
    return complain(written.error());
  }
  fmt::print(stderr, "written to {}; play it with: warpsight run --simulate {}\n", path, path);
  return kExitOk;
}

}  // namespace

constinit const Verb kRecordVerb{
    .name = "record",
    .summary = "Record this machine's GPUs as a scenario for --simulate",
    .description =
        "Reads every value the driver gives, over and over, and writes a scenario that plays the "
        "same. Serial numbers, UUIDs and process names are masked; the rest is as read.\n\n"
        "This verb calls the vendor library in its own process: if the driver hangs, so does it.",
    .flags = kFlags,
    .positional =
        {.usage = "nvml", .min = 1, .max = 1, .choices = "nvml", .help = "what to record"},
    .examples = kExamples,
    .run = run_record,
};

}  // namespace warpsight
