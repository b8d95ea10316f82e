#include <fmt/format.h>

#include <cstdio>

#include "app/exit_codes.h"
#include "app/memory_place.h"
#include "app/query_text.h"
#include "app/setup.h"
#include "app/verbs.h"
#include "ui/api/events_json.h"
#include "ui/api/events_request.h"
#include "ui/api/known_json.h"
#include "ui/api/metric_names.h"
#include "ui/api/series_json.h"
#include "ui/api/series_request.h"

namespace warpsight {
namespace {

constexpr Flag kFlags[] = {
    kConfigFlag,
    {"events", 'e', {}, "list events instead of a series"},
    {"list", '\0', {}, "list the series there are instead of their values"},
    {"match", 'm', "KEY=VALUE", "only what has this attribute; KEY=A|B, KEY!=A; may be repeated"},
    {"from", 'f', "TIME", "-1h, a date and time (RFC 3339) or Unix seconds (default: -1h)"},
    {"to", 't', "TIME", "the same (default: now)"},
    {"step", '\0', "DURATION", "how far apart values are (default: some 600 steps)"},
    {"aggregate", 'a', "mean|min|max|last|rate", "what a step says of its values (default: mean)"},
    {"severity", '\0', "info|warning|error", "the least severe event to list"},
    {"limit", 'n', "COUNT", "most series, or events (default: 200)"},
    {"format", 'o', "table|csv|json", "how to print (default: table)"},
    {"simulated", '\0', {}, "of what a scenario played, not of the hardware"},
};

constexpr Example kExamples[] = {
    {"warpsight query gpu.power.draw --match gpu.index=0 --from -24h --step 5m",
     "a day of one GPU's power"},
    {"warpsight query gpu.energy.consumption --aggregate rate --format csv",
     "watts from the energy counters, for a spreadsheet"},
    {"warpsight query --events 'gpu.*' --severity warning --from -7d", "what went wrong last week"},
    {"warpsight query --list llm.ttft", "which series of a metric there are"},
};

// The flags and words by the names that the HTTP interface has for them.
Parameters parameters_of(const Arguments& arguments, std::string_view word,
                         std::initializer_list<std::string_view> flags) {
  Parameters parameters;
  for (const std::string& name : arguments.positional()) parameters.emplace_back(word, name);
  for (const std::string_view flag : flags) {
    for (const std::string& value : arguments.values(flag)) parameters.emplace_back(flag, value);
  }
  return parameters;
}

int complain(const Error& error, int code) {
  fmt::print(stderr, "error: {}\n", describe(error));
  return code;
}

TextForm form_of(const Arguments& arguments) {
  return arguments.value("format") == "csv" ? TextForm::csv : TextForm::table;
}

bool wants_json(const Arguments& arguments) { return arguments.value("format") == "json"; }

int print_series(const HistoryReader& history, const Arguments& arguments, Time now) {
  const auto query = parse_series_request(
      parameters_of(arguments, "metric", {"match", "from", "to", "step", "aggregate", "limit"}),
      now);
  if (!query) return complain(query.error(), kExitUsage);
  const auto answer = history.series(*query);
  if (!answer) {
    const bool asker = answer.error().cause == QueryError::Cause::question;
    return complain(answer.error(), asker ? kExitUsage : kExitFailure);
  }
  if (answer->rows.empty()) {
    if (const auto mistake = unknown_metric(query->metrics)) return complain(*mistake, kExitUsage);
  }
  std::string out;
  if (wants_json(arguments)) {
    append_series_json(out, *query, *answer);
  } else {
    out = series_text(*answer, form_of(arguments));
  }
  fmt::print("{}", out);
  return kExitOk;
}

int print_events(const HistoryReader& history, const Arguments& arguments, Time now) {
  const auto query = parse_events_request(
      parameters_of(arguments, "name", {"match", "from", "to", "severity", "limit"}), now);
  if (!query) return complain(query.error(), kExitUsage);
  const auto answer = history.events(*query);
  if (!answer) return complain(answer.error(), kExitFailure);
  std::string out;
  if (wants_json(arguments)) {
    append_events_json(out, *answer);
  } else {
    out = events_text(*answer, form_of(arguments));
  }
  fmt::print("{}", out);
  return kExitOk;
}

int print_known(const HistoryReader& history, const Arguments& arguments) {
  std::vector<Matcher> matchers;
  for (const std::string& text : arguments.values("match")) {
    if (const auto taken = take_matcher(matchers, text); !taken) {
      return complain(taken.error(), kExitUsage);
    }
  }
  const auto known = history.known(arguments.positional(), matchers);
  if (!known) return complain(known.error(), kExitFailure);
  std::string out;
  if (wants_json(arguments)) {
    append_known_json(out, *known);
  } else {
    out = known_text(*known, form_of(arguments));
  }
  fmt::print("{}", out);
  return kExitOk;
}

int run_query(const Arguments& arguments) {
  const auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  const auto history =
      open_history(history_settings(*config, arguments.has("simulated")).directory);
  if (!history) return complain(history.error(), kExitFailure);
  const Time now = SystemClock().now();
  if (arguments.has("events")) return print_events(**history, arguments, now);
  if (arguments.has("list")) return print_known(**history, arguments);
  return print_series(**history, arguments, now);
}

}  // namespace

constinit const Verb kQueryVerb{
    .name = "query",
    .summary = "Print what this node remembers: series or events of a stretch of time",
    .description =
        "Reads the history that the agent keeps on this node, whether it runs or not. Values are "
        "those the agent published, put together to steps; a gap is a time in which nothing was "
        "published.\n\nThe words are metrics; with --events names of events, where `gpu.*` is "
        "every "
        "name that begins so.",
    .flags = kFlags,
    .positional = {.usage = "[NAME...]",
                   .min = 0,
                   .max = 20,
                   .help = "metrics, or names of events; `warpsight metrics` lists the former"},
    .examples = kExamples,
    .run = run_query,
};

}  // namespace warpsight
