#include <fmt/core.h>

#include "alerts/rule.h"
#include "app/config_schema.h"
#include "app/exit_codes.h"
#include "app/listen_security.h"
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

// What only a look at other files, or at two keys together, tells.
std::vector<std::string> further_errors(const Config& config) {
  std::vector<std::string> errors;
  for (const alerts::RuleError& error :
       alerts::load_rules(config.agent.list("alerts.rules")).errors) {
    errors.push_back(to_string(error));
  }
  const SystemClock clock;
  if (const auto security = listen_security(config.agent, clock); !security) {
    errors.push_back(describe(security.error()));
  }
  const auto address = parse_address(config.agent.text("listen"));
  if (const auto safe = address ? check_exposure(*address, config.agent) : Result<>{}; !safe) {
    errors.push_back(describe(safe.error()));
  }
  return errors;
}

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
  const std::vector<std::string> errors = further_errors(*config);
  for (const std::string& error : errors) fmt::print(stderr, "error: {}\n", error);
  if (!errors.empty()) return kExitBadConfig;
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
