#include "app/metrics_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "wire/json.h"
#include "wire/prometheus_name.h"

namespace warpsight {
namespace {

std::string code_list(std::string_view list, char separator) {
  std::string text;
  for_each_token(list, separator, [&](std::string_view token) {
    if (!text.empty()) text += ", ";
    text += fmt::format("`{}`", token);
  });
  // A bar inside a table cell would end it.
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void append_row(std::string& out, const MetricRow& metric) {
  fmt::format_to(
      std::back_inserter(out), "| `{}` | {} | {} | {} | {} | {} |\n", metric.name,
      to_string(metric.kind), metric.unit.empty() ? "" : fmt::format("`{}`", metric.unit),
      fmt::format("`{}`", prometheus_name(metric.name, metric.unit, metric.kind).sample),
      code_list(metric.attributes, ';'),
      metric.hardware.empty() ? std::string(metric.meaning)
                              : fmt::format("{}. *Where: {}.*", metric.meaning, metric.hardware));
}

void append_table(std::string& out, const std::vector<const MetricRow*>& rows) {
  out += "| metric | kind | unit | in Prometheus | attributes | meaning |\n";
  out += "|---|---|---|---|---|---|\n";
  for (const MetricRow* metric : rows) append_row(out, *metric);
  out += '\n';
}

std::string_view group_of(const MetricRow& metric) {
  return metric.name.substr(0, metric.name.find('.'));
}

}  // namespace

std::string metrics_markdown() {
  std::string out =
      "# Metrics\n\n"
      "<!-- Made by `warpsight metrics --markdown`; a test fails when it is stale. -->\n\n"
      "Every metric is declared once, in `src/core/metrics.def`. Prometheus names follow "
      "OpenTelemetry's\nrule. Every GPU metric carries `gpu.index`, `gpu.uuid`, `gpu.model` and "
      "`gpu.vendor`; a MIG instance adds\n`gpu.mig.instance_id`, `gpu.mig.profile`, "
      "`gpu.mig.parent_uuid` and `gpu.mig.uuid`; a simulated one\n`simulated=\"true\"`. "
      "A value that cannot be read is absent, never zero: `/api/v1/status` lists what is\n"
      "unsupported and what fails.\n\n";
  std::vector<const MetricRow*> reserved;
  std::vector<std::string_view> groups;
  for (const MetricRow& metric : catalogue()) {
    if (!metric.produced) {
      reserved.push_back(&metric);
    } else if (std::ranges::find(groups, group_of(metric)) == groups.end()) {
      groups.push_back(group_of(metric));
    }
  }
  for (const std::string_view group : groups) {
    std::vector<const MetricRow*> rows;
    for (const MetricRow& metric : catalogue()) {
      if (group_of(metric) == group && metric.produced) rows.push_back(&metric);
    }
    fmt::format_to(std::back_inserter(out), "## {}.*\n\n", group);
    append_table(out, rows);
  }
  out +=
      "## Aliases\n\nNames used elsewhere for the same thing. `aliases: true` on a sink adds them "
      "beside ours; the `DCGM_`\nnames come with `compat: dcgm` on the Prometheus page, in DCGM's "
      "own units and labels.\n\n| metric | aliases |\n|---|---|\n";
  for (const MetricRow& metric : catalogue()) {
    if (metric.aliases.empty() || !metric.produced) continue;
    fmt::format_to(std::back_inserter(out), "| `{}` | {} |\n", metric.name,
                   code_list(metric.aliases, ' '));
  }
  out += "\n## Reserved\n\nNames that are agreed but that nothing in this version writes.\n\n";
  append_table(out, reserved);
  out.pop_back();
  return out;
}

std::string metrics_json() {
  std::string out;
  JsonWriter json(out);
  json.begin_array();
  for (const MetricRow& metric : catalogue()) {
    json.begin_object()
        .field("name", metric.name)
        .field("kind", to_string(metric.kind))
        .field("unit", metric.unit)
        .field("prometheus", prometheus_name(metric.name, metric.unit, metric.kind).sample)
        .field("attributes", metric.attributes)
        .field("aliases", metric.aliases)
        .field("writers", metric.writers)
        .field("hardware", metric.hardware)
        .field("meaning", metric.meaning)
        .field("produced", metric.produced)
        .end_object();
  }
  json.end_array();
  out += '\n';
  return out;
}

}  // namespace warpsight
