#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "alerts/promql.h"
#include "alerts/rule.h"
#include "app/exit_codes.h"
#include "app/setup.h"
#include "app/verbs.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    kConfigFlag,
    {"prometheus", 'p', {}, "print them as a Prometheus rule file"},
    {"check", '\0', "FILE", "check a file of rules and print nothing but its mistakes"},
};

constexpr Example kExamples[] = {
    {"warpsight rules", "which alerts there may be"},
    {"warpsight rules --prometheus > warpsight.rules.yml", "the same for a Prometheus"},
    {"warpsight rules --check /etc/warpsight/rules.yaml", "before a reload"},
};

int complain(const std::vector<alerts::RuleError>& errors) {
  for (const alerts::RuleError& error : errors) {
    fmt::print(stderr, "error: {}\n", to_string(error));
  }
  return kExitBadConfig;
}

void print_table(const std::vector<alerts::Rule>& rules) {
  size_t width = 0;
  for (const alerts::Rule& rule : rules) width = std::max(width, rule.name.size());
  for (const alerts::Rule& rule : rules) {
    fmt::print("{:<{}}  {:<8} {:>5}  {}{}\n", rule.name, width, to_string(rule.severity),
               rule.hold == Duration::zero() ? "" : fmt::format("{:.0f}s", to_seconds(rule.hold)),
               promql(rule), rule.enabled ? "" : "  (off)");
  }
}

int run_rules(const Arguments& arguments) {
  if (arguments.has("check")) {
    const alerts::LoadedRules loaded = alerts::load_rules({arguments.value("check")});
    if (!loaded.errors.empty()) return complain(loaded.errors);
    fmt::print("the rules are good\n");
    return kExitOk;
  }
  const auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  const alerts::LoadedRules loaded = alerts::load_rules(config->agent.list("alerts.rules"));
  if (!loaded.errors.empty()) return complain(loaded.errors);
  if (arguments.has("prometheus")) {
    fmt::print("{}",
               alerts::prometheus_rules(loaded.rules, config->agent.duration("publish_interval")));
  } else {
    print_table(loaded.rules);
  }
  return kExitOk;
}

}  // namespace

constinit const Verb kRulesVerb{
    .name = "rules",
    .summary = "List the alert rules, check some, or print them for a Prometheus",
    .description =
        "The agent evaluates these rules itself (docs/alerts.md). Printed as a Prometheus rule "
        "file, they say the same of the metrics that the agent gives to a Prometheus.",
    .flags = kFlags,
    .examples = kExamples,
    .run = run_rules,
};

}  // namespace warpsight
