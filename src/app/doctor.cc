#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <set>
#include <thread>

#include "app/doctor_sinks.h"
#include "app/exit_codes.h"
#include "app/pipeline.h"
#include "app/setup.h"
#include "app/summary.h"
#include "app/verbs.h"
#include "platform/file.h"
#include "runtime/log.h"
#include "sources/table.h"

namespace warpsight {
namespace {

constexpr Flag kSinksFlag{"sinks", 0, "", "also send a test message to each sink that is on"};
constexpr Flag kFlags[] = {kConfigFlag, kSimulateFlag, kSinksFlag};

constexpr Duration kPatience = std::chrono::seconds{20};
constexpr Duration kPoll = std::chrono::milliseconds{20};

struct Tally {
  int wrong = 0;

  void say(bool good, std::string_view text, std::string_view hint = {}) {
    fmt::print("  {} {}\n", good ? "ok  " : "MISS", text);
    if (!good && !hint.empty()) fmt::print("       -> {}\n", hint);
    wrong += good ? 0 : 1;
  }
};

void check_source(const SourceDef& def, Pipeline& pipeline, const SourceContext& context,
                  Tally& tally) {
  fmt::print("\n{} ({})\n", def.name, def.summary);
  const bool runs = pipeline.runs(def.name);
  if (!runs) {
    fmt::print("  -    not read: {}\n", context.options.flag("enabled")
                                            ? "nothing of the kind on this machine; looked for:"
                                            : "switched off in the config");
  }
  if (def.diagnose != nullptr && context.options.flag("enabled")) {
    for (const Finding& finding : def.diagnose(context)) {
      const bool good = finding.state == Finding::State::ok;
      if (runs) tally.say(good, finding.what, finding.hint);
      if (!runs) fmt::print("  -    {}\n", finding.what);
    }
  }
  for (const auto& lane : pipeline.lanes()) {
    if (lane->name() != def.name) continue;
    const LaneStatus status = lane->status();
    if (status.runs == 0) tally.say(false, "has not answered", "is the driver hung? see dmesg");
    if (status.runs > 0 && !status.up) tally.say(false, status.last_error);
    if (status.up) {
      tally.say(true, fmt::format("read in {:.1f} ms", to_seconds(status.duration) * 1e3));
    }
  }
}

void list_missing(Pipeline& pipeline) {
  std::map<std::string, std::set<std::string>> unsupported;  // by GPU
  std::vector<std::string> failing;
  pipeline.registry().for_each_missing([&](const Missing& missing) {
    const EntityId gpu = pipeline.entities().ancestor(missing.entity, EntityKind::gpu);
    const std::string index = pipeline.entities().attribute(gpu, "gpu.index");
    const std::string name(row(missing.metric).name);
    const std::string where = index.empty() ? "" : " (GPU " + index + ")";
    if (missing.why == Absence::unsupported) {
      std::set<std::string>& gpus = unsupported[name];
      if (!index.empty()) gpus.insert(index);
    } else {
      failing.push_back(fmt::format("{}{}: {}", name, where, missing.detail));
    }
  });
  if (!unsupported.empty()) fmt::print("\nnot supported by this hardware or driver\n");
  for (const auto& [name, gpus] : unsupported) {
    fmt::print("  {}{}\n", name,
               gpus.empty() ? "" : fmt::format(" (GPU {})", fmt::join(gpus, ", ")));
  }
  if (!failing.empty()) fmt::print("\nfailing now\n");
  for (const std::string& line : failing) fmt::print("  {}\n", line);
}

void check_state_dir(const std::string& path, Tally& tally) {
  fmt::print("\nstate directory\n");
  const std::string probe = path + "/.doctor";
  const auto written = write_file_atomically(probe, "");
  if (written) std::remove(probe.c_str());
  tally.say(written.has_value(), path + (written ? " is writable" : " is not writable"),
            "create it or set state_dir: without it the kernel log's place is lost at a restart");
}

void report_sinks(const Config& config, const Pipeline& pipeline, const Clock& clock,
                  Tally& tally) {
  fmt::print("\nsinks\n");
  const std::vector<SinkCheck> checks = check_sinks(config, pipeline.resource(), clock);
  if (checks.empty()) fmt::print("  -    none is switched on; see docs/configuration.md\n");
  for (const SinkCheck& check : checks) {
    tally.say(check.good, fmt::format("{}: {}", check.name, check.text), check.hint);
  }
}

int run_doctor(const Arguments& arguments) {
  const auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  const auto scenario = scenario_or_complain(arguments);
  if (!scenario) return kExitUsage;
  configure_log({.level = LogLevel::error});

  const SystemClock clock;
  Config reading = *config;
  for (Section& sink : reading.sinks) (void)sink.options.set("enabled", "false");
  Pipeline pipeline({reading, *scenario, own_executable()}, clock);
  if (const auto started = pipeline.start(); !started) {
    fmt::print(stderr, "error: {}\n", describe(started.error()));
    return kExitFailure;
  }
  const SteadyTime end = clock.steady() + kPatience;
  while (!pipeline.has_run(1) && clock.steady() < end) std::this_thread::sleep_for(kPoll);
  pipeline.publish();

  Tally tally;
  fmt::print("found\n");
  for (const SummaryLine& line : summarize(pipeline)) {
    fmt::print("  {}\n", line.text);
  }
  CallTrace trace;
  for (const SourceDef& def : source_table()) {
    const Section& section = section_of(reading.sources, def.name);
    check_source(def, pipeline,
                 {clock,
                  pipeline.entities(),
                  section.options,
                  trace,
                  reading.agent.text("root"),
                  reading.agent.text("state_dir"),
                  *scenario,
                  {},
                  {}},
                 tally);
  }
  list_missing(pipeline);
  check_state_dir(reading.agent.text("state_dir"), tally);
  if (arguments.has("sinks")) report_sinks(*config, pipeline, clock, tally);
  fmt::print("\n{}\n", tally.wrong == 0 ? "all well"
                                        : fmt::format("{} thing{} to look at", tally.wrong,
                                                      tally.wrong == 1 ? "" : "s"));
  std::fflush(stdout);
  if (!pipeline.stop(std::chrono::seconds{2})) std::_Exit(kExitFailure);
  return tally.wrong == 0 ? kExitOk : kExitFailure;
}

}  // namespace

constinit const Verb kDoctorVerb{
    .name = "doctor",
    .summary = "Say what was found, what is missing and what would fix it",
    .description =
        "Reads everything once, as `run` would, and reports on each source: whether it "
        "works, which library, device or privilege it lacks, and which values this "
        "hardware does not have. With --sinks each sink that is switched on is sent one "
        "test message, and what its peer answered is shown.",
    .flags = kFlags,
    .run = run_doctor,
};

}  // namespace warpsight
