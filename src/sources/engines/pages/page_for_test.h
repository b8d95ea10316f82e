// Pages read through small tables into a registry, and what that then says.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attributes.h"
#include "core/registry.h"
#include "sources/engines/pages/page_reader.h"
#include "sources/engines/pages/serving_subjects.h"

namespace warpsight::engines::test {

inline Metric declared(std::string name, MetricKind kind) {
  AddedRow row;
  row.name = std::move(name);
  row.kind = kind;
  return add_metric(row).value();
}

inline MetricRule rule(std::vector<std::string> from, MetricKind kind, std::string own,
                       std::optional<Metric> common = {}) {
  MetricRule made;
  made.from = std::move(from);
  made.kind = kind;
  made.own = declared(std::move(own), kind);
  made.common = common;
  return made;
}

inline LabelRule label(std::string from, std::string to) {
  LabelRule made;
  made.from = std::move(from);
  made.to = std::move(to);
  return made;
}

inline LabelRule telling(std::string from, std::string to, bool rank = false) {
  LabelRule made = label(std::move(from), std::move(to));
  made.tells_subject = true;
  made.rank = rank;
  return made;
}

// An engine whose names begin with "eng:", on a page of its own or, as "ray_eng:", on Ray's.
inline EngineTable engine_table() {
  using enum MetricKind;
  EngineTable table;
  table.name = "eng";
  table.prefixes = {"eng:"};
  table.labels = {telling("model_name", "model.name"),       telling("engine", "llm.dp_rank", true),
                  telling("tp_rank", "llm.tp_rank"),         label("priority", "priority"),
                  label("finished_reason", "finish_reason"), label("pid", "")};
  table.labels[2].common_only = "0";
  table.labels[3].common_only = "";
  ReExport ray;
  ray.via = "ray";
  ray.prefix = "ray_eng:";
  ray.stands_for = "eng:";
  ray.labels = {label("SessionName", ""), telling("WorkerId", "llm.replica", true)};
  table.re_exports = {ray};

  table.metrics = {
      rule({"eng:running"}, gauge, "eng.running", Metric::llm_requests_running),
      rule({"eng:kv", "eng:old_kv"}, gauge, "eng.kv", Metric::llm_kv_cache_usage),
      rule({"eng:prompt_total"}, counter, "eng.prompt", Metric::llm_tokens_prompt),
      rule({"eng:success_total"}, counter, "eng.success", Metric::llm_requests_finished),
      rule({"eng:ttft"}, histogram, "eng.ttft", Metric::llm_ttft),
      rule({"eng:itl_ms"}, histogram, "eng.itl", Metric::llm_itl),
      rule({"eng:lora_info"}, gauge, "eng.loras"),
      rule({"eng:tokens_total"}, counter, "eng.tokens.cached"),
      rule({"shared_running"}, gauge, "eng.shared_running"),
  };
  table.metrics[1].across = Across::mean;
  table.metrics[5].scale = 0.001;
  table.metrics[6].count_items = "adapters";
  table.metrics[7].where = {{"source", "cache"}};
  table.metrics[7].attributes = {{"token.source", "cache"}};
  return table;
}

// A server before engines, and one without a prefix that shares a name with the engine above.
inline EngineTable gateway_table() {
  EngineTable table;
  table.name = "gate";
  table.role = Role::gateway;
  table.prefixes = {"gate_"};
  table.labels = {telling("model", "model.name")};
  table.metrics = {
      rule({"gate_running"}, MetricKind::gauge, "gate.running", Metric::llm_requests_running)};
  return table;
}

inline EngineTable plain_table() {
  EngineTable table;
  table.name = "plain";
  table.signs = {"plain_sign"};
  table.labels = {telling("model", "model.name")};
  table.metrics = {
      rule({"shared_running"}, MetricKind::gauge, "plain.running", Metric::llm_requests_running)};
  return table;
}

struct Node {
  ManualClock clock;
  EntityTable entities;
  Registry registry{entities};
  uint16_t source = registry.add_source("scrape");
  Claims claims;
  EngineTables tables{{engine_table(), gateway_table(), plain_table()}};

  // What the batch of this moment says, by name and attributes but for the engine's own.
  std::map<std::string, std::string> told() {
    std::map<std::string, std::string> values;
    registry.publish(clock.now(), {});
    registry.read([&](const Snapshot& snapshot) {
      for (const Sample& sample : snapshot.samples) {
        if (sample.time != clock.now()) continue;
        const Series& series = *snapshot.series_of(sample);
        const Histogram* histogram = snapshot.histogram_of(series);
        values[text_of(series)] =
            histogram == nullptr ? fmt::format("{}", sample.value)
                                 : fmt::format("<{}: {} sum {}", fmt::join(histogram->bounds, " <"),
                                               fmt::join(histogram->counts, " "), histogram->sum);
      }
    });
    return values;
  }

  // When the count began; zero when the series is not told.
  Time start(const std::string& text) {
    registry.publish(clock.now(), {});
    return registry.read([&](const Snapshot& snapshot) {
      for (const Series& series : snapshot.series) {
        if (series.live && text_of(series) == text) return series.start;
      }
      return Time{};
    });
  }

  // Whether the registry holds such a series at all.
  bool holds(const std::string& text) { return start(text) != Time{}; }

  std::string text_of(const Series& series) const {
    std::string attributes;
    for (const Attribute& a : attributes_of(entities, series.entity, &row(series.metric))) {
      if (a.key == "llm.engine" || a.key == "server.address") continue;
      attributes += (attributes.empty() ? "" : ",") + a.key + "=" + a.value;
    }
    return fmt::format("{}{{{}}}", row(series.metric).name, attributes);
  }
};

// One endpoint of the node.
struct Endpoint {
  explicit Endpoint(Node& its_node, PageSettings settings = {}, std::string address = "host:1")
      : node(its_node),
        subjects(node.entities, address),
        reader(node.tables, subjects, node.claims, node.entities, std::move(settings)) {}

  // Ten seconds after the page before.
  PageOutcome scrape(std::string_view body,
                     prometheus_text::TextFormat format = prometheus_text::TextFormat::classic) {
    node.clock.advance(std::chrono::seconds{10});
    return scrape_now(body, format);
  }
  PageOutcome scrape_now(std::string_view body, prometheus_text::TextFormat format =
                                                    prometheus_text::TextFormat::classic) {
    batch.begin(node.clock.now(), std::chrono::seconds{10});
    const PageOutcome outcome = reader.read(body, format, batch);
    node.registry.apply(node.source, batch, node.clock.now());
    return outcome;
  }

  Node& node;
  ServingSubjects subjects;
  PageReader reader;
  Batch batch;
};

}  // namespace warpsight::engines::test
