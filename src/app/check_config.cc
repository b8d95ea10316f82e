#include <fmt/core.h>

#include "alerts/rule.h"
#include "app/config_schema.h"
#include "app/exit_codes.h"
#include "app/setup.h"
#include "app/verbs.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    kConfigFlag,
    {"example", '\0', {}, "print a config file with every key, its default and its meaning"},
    {"markdown", '\0', {}, "print docs/configuration.md"},
};

constexpr Example kExamples[] = {
    {"warpsight check-config --config warpsight.yaml", "check a file before a reload"},
    {"warpsight check-config --example > warpsight.yaml", "start one"},
};

int run_check_config(const Arguments& arguments) {
  if (arguments.has("example")) {
    fmt::print("{}", example(config_schema()));
    return kExitOk;
  }
  if (arguments.has("markdown")) {
    fmt::print("{}", reference(config_schema()));
    return kExitOk;
  }
  const auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  const alerts::LoadedRules rules = alerts::load_rules(config->agent.list("alerts.rules"));
  for (const alerts::RuleError& error : rules.errors) {
    fmt::print(stderr, "error: {}\n", to_string(error));
  }
  if (!rules.errors.empty()) return kExitBadConfig;
  fmt::print("the configuration is good\n");
  return kExitOk;
}

}  // namespace

constinit const Verb kCheckConfigVerb{
    .name = "check-config",
    .summary = "Check a config file and say what is wrong with it",
    .description =
        "Reads the file as `run` would and reports every mistake with its line and the "
        "nearest valid key. Starts nothing.",
    .flags = kFlags,
    .examples = kExamples,
    .run = run_check_config,
};

}  // namespace warpsight
