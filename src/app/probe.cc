#include <fmt/core.h>

#include <csignal>
#include <cstdio>

#include "app/exit_codes.h"
#include "app/verbs.h"
#include "core/clock.h"
#include "runtime/probe_child.h"
#include "sources/table.h"

namespace warpsight {
namespace {

int run_probe(const Arguments& arguments) {
  const SourceDef* source = find_source(arguments.positional()[0]);
  if (source == nullptr || source->isolation != Isolation::probe) {
    fmt::print(stderr, "error: \"{}\" is no source that runs in a probe\n",
               arguments.positional()[0]);
    return kExitUsage;
  }
  // A terminal's Ctrl-C is for the agent, which ends its probes itself.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  return probe::serve(*source, SystemClock{});
}

}  // namespace

constinit const Verb kProbeVerb{
    .name = "probe",
    .summary = "Host a vendor library for the agent",
    .description = "Started by the agent, which talks to it over an inherited socket.",
    .positional = {.usage = "SOURCE", .min = 1, .max = 1, .help = "the source to host"},
    .run = run_probe,
    .hidden = true,
};

}  // namespace warpsight
