#include <fmt/core.h>

#include <cstdio>

#include "analysis/xid_codes.h"
#include "app/exit_codes.h"
#include "app/metrics_reference.h"
#include "app/verbs.h"
#include "core/catalogue.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    {"json", '\0', {}, "the whole catalogue as JSON"},
    {"markdown", '\0', {}, "docs/metrics.md"},
    {"xids", '\0', {}, "docs/xids.md: XID codes, what they mean and what to do"},
};

constexpr Example kExamples[] = {
    {"warpsight metrics", "one line a metric"},
    {"warpsight metrics --json | jq '.[] | select(.unit == \"W\") | .name'", "those in watts"},
};

int run_metrics(const Arguments& arguments) {
  if (arguments.has("json")) {
    fmt::print("{}", metrics_json());
  } else if (arguments.has("markdown")) {
    fmt::print("{}", metrics_markdown());
  } else if (arguments.has("xids")) {
    fmt::print("{}", xid_markdown());
  } else {
    fmt::print("{}", metrics_list());
  }
  return kExitOk;
}

}  // namespace

constinit const Verb kMetricsVerb{
    .name = "metrics",
    .summary = "List every metric: name, kind, unit, meaning",
    .description =
        "Prints the catalogue: what the agent can say, whether this machine has it or "
        "not. For what this machine has, see `warpsight run --once`.",
    .flags = kFlags,
    .examples = kExamples,
    .run = run_metrics,
};

}  // namespace warpsight
