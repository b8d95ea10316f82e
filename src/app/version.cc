#include "core/version.h"

#include <fmt/core.h>

#include "app/exit_codes.h"
#include "app/verbs.h"

namespace warpsight {
namespace {

int run_version(const Arguments&) {
  fmt::print("warpsight {}\n", kVersion);
  return kExitOk;
}

}  // namespace

constinit const Verb kVersionVerb{
    .name = "version",
    .summary = "Print the version",
    .description = "Prints the version.",
    .run = run_version,
};

}  // namespace warpsight
