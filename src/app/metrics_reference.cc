#include "app/metrics_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "sources/engines/tables/table.h"
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

// The own names of the built-in tables, by table, in the tables' order.
struct EngineRows {
  std::string title;
  std::vector<const MetricRow*> rows;
};

std::vector<EngineRows> engine_rows() {
  std::vector<EngineRows> all;
  const auto tables = engines::EngineTables::load();
  if (!tables) return all;
  std::vector<bool> listed(metric_count());
  for (const engines::EngineTable& table : tables->all()) {
    EngineRows& of = all.emplace_back(EngineRows{table.title, {}});
    const auto list = [&](Metric metric) {
      const auto index = static_cast<size_t>(metric);
      if (index < catalogue().size() || listed[index]) return;
      listed[index] = true;
      of.rows.push_back(&row(metric));
    };
    for (const engines::MetricRule& rule : table.metrics) {
      if (rule.own) list(*rule.own);
    }
    for (const WindowRule& rule : table.windows) list(rule.to);
    if (of.rows.empty()) all.pop_back();
  }
  return all;
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
      "## Engines' own names\n\nFrom the tables in `src/sources/engines/builtin`; a user's table "
      "adds "
      "more. Each carries `llm.engine`,\n`server.address`, `model.name` and whatever labels "
      "upstream "
      "gives; `docs/engines.md` tells how.\n\n";
  for (const EngineRows& engine : engine_rows()) {
    fmt::format_to(std::back_inserter(out), "### {}\n\n", engine.title);
    append_table(out, engine.rows);
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

std::string metrics_list() {
  std::string out;
  const auto append = [&](const MetricRow& metric) {
    fmt::format_to(std::back_inserter(out), "{:<34} {:<15} {:<9} {}\n", metric.name,
                   to_string(metric.kind), metric.unit, metric.meaning);
  };
  for (const MetricRow& metric : catalogue()) {
    if (metric.produced) append(metric);
  }
  for (const EngineRows& engine : engine_rows()) {
    for (const MetricRow* metric : engine.rows) append(*metric);
  }
  return out;
}

std::string metrics_json() {
  std::string out;
  JsonWriter json(out);
  json.begin_array();
  const auto append = [&](const MetricRow& metric) {
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
  };
  for (const MetricRow& metric : catalogue()) append(metric);
  for (const EngineRows& engine : engine_rows()) {
    for (const MetricRow* metric : engine.rows) append(*metric);
  }
  json.end_array();
  out += '\n';
  return out;
}

}  // namespace warpsight
