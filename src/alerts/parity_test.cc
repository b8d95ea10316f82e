// Every shipped rule over the same series in the agent and, as the PromQL made of it, in
// Prometheus' own rule engine (promtool test rules): the same alerts, labels and texts at every
// evaluation.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "alerts/node_for_test.h"
#include "alerts/promql.h"
#include "core/attributes.h"
#include "core/quantity.h"
#include "platform/command.h"
#include "platform/test_dir.h"
#include "wire/json.h"
#include "wire/number.h"
#include "wire/prometheus_name.h"

namespace warpsight::alerts {
namespace {

using namespace std::chrono_literals;
using testing::Node;
using Attributes = std::vector<AttributeView>;

constexpr const char* kPromtool = "/usr/bin/promtool";
constexpr Duration kInterval = 15s;
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

int steps_in(Duration time) { return static_cast<int>(time / kInterval); }

// What a series says while things are well and while they are not; `step` counts from the change.
struct Shape {
  std::string_view rule;
  Metric metric;
  Attributes attributes;  // of all its series, beside what tells them apart
  std::function<double(int step)> good;
  std::function<double(int step)> bad;
  double edge;  // for ever: does not fire
  bool counter = false;
  std::string_view named_by = "gpu.index";  // the attribute that tells its series apart
};

std::function<double(int)> always(double value) {
  return [value](int) { return value; };
}

Shape plain(std::string_view rule, Metric metric, Attributes attributes, double good, double bad,
            double edge) {
  return {rule, metric, std::move(attributes), always(good), always(bad), edge};
}

// Values are what each step adds.
Shape counter(std::string_view rule, Metric metric, Attributes attributes) {
  return {rule, metric, std::move(attributes), always(0), always(3), 0, true};
}

std::vector<Shape> shapes() {
  std::vector<Shape> all = {
      plain("GpuMemoryFull", Metric::gpu_memory_used_percent, {{"k8s.pod.name", "p"}}, 50, 93.21,
            90),
      plain("GpuHot", Metric::gpu_temperature, {{"gpu.temperature.sensor", "edge"}}, 60, 91, 85),
      plain("GpuIdle", Metric::gpu_utilization, {{"slurm.job.id", "17"}}, 0.8, 0.013, 0.1),
      plain("GpuSaturated", Metric::gpu_utilization, {}, 0.5, 0.999, 0.95),
      plain("GpuThrottledByPower", Metric::gpu_throttle_power_active, {}, 0, 1, 0),
      plain("GpuThrottledByHeat", Metric::gpu_throttle_thermal_active, {}, 0, 1, 0),
      counter("GpuEccUncorrectable", Metric::gpu_ecc_errors,
              {{"gpu.ecc.error_type", "uncorrectable"},
               {"gpu.ecc.count_type", "volatile"},
               {"gpu.ecc.memory_block", "dram"}}),
      plain("GpuXidHardware", Metric::gpu_xid_recent, {{"gpu.xid.class", "hardware"}}, 0, 2, 0),
      plain("GpuXidThermal", Metric::gpu_xid_recent, {{"gpu.xid.class", "thermal"}}, 0, 1, 0),
      plain("GpuXidFabric", Metric::gpu_xid_recent, {{"gpu.xid.class", "fabric"}}, 0, 1, 0),
      plain("GpuXidDriver", Metric::gpu_xid_recent, {{"gpu.xid.class", "driver"}}, 0, 1, 0),
      plain("GpuXidApplication", Metric::gpu_xid_recent, {{"gpu.xid.class", "application"}}, 0, 1,
            0),
      plain("GpuXidUnknown", Metric::gpu_xid_recent, {{"gpu.xid.class", "unknown"}}, 0, 1, 0),
      plain("GpuRowRemapFailed", Metric::gpu_row_remap_failure, {}, 0, 1, 0),
      plain("GpuRecoveryNeeded", Metric::gpu_recovery_action, {{"gpu.recovery.name", "reset"}}, 0,
            1, 0),
      plain("GpuLost", Metric::gpu_devices, {{"gpu.state", "lost"}, {"gpu.vendor", "nvidia"}}, 0, 1,
            0),
      plain("GpuDriverHangs", Metric::gpu_driver_responsive, {{"gpu.uuid", "GPU-1"}}, 1, 0, 1),
      plain("GpuPcieDegraded", Metric::gpu_pcie_link_downtraining, {}, 0, 1, 0),
      plain("NvlinkDown", Metric::gpu_interconnect_links_active,
            {{"gpu.interconnect.type", "nvlink"}}, 18, 17, 16),
      counter("NvlinkErrors", Metric::gpu_interconnect_errors,
              {{"gpu.interconnect.type", "nvlink"},
               {"gpu.interconnect.error", "replay"},
               {"gpu.interconnect.link_index", "3"}}),
      plain("LlmSlowFirstToken", Metric::llm_latency_quantile,
            {{"model.name", "m\"1"}, {"llm.latency", "ttft"}, {"q", "0.95"}}, 0.1, 1.23456, 0.5),
      plain("LlmSlowRequests", Metric::llm_latency_quantile,
            {{"llm.engine", "vllm"}, {"llm.latency", "request"}, {"q", "0.99"}}, 3, 62, 30),
      plain("LlmCacheFull", Metric::llm_kv_cache_usage, {{"model.name", "m"}}, 0.4, 0.97, 0.9),
      plain("LlmQueueGrowing", Metric::llm_requests_waiting, {{"model.name", "m"}}, 2, 0, 40),
      plain("LlmThroughputHalved", Metric::llm_generation_throughput, {{"model.name", "m"}}, 2000,
            700, 100),
      plain("LlmErrors", Metric::llm_error_share, {{"model.name", "m"}}, 0.001, 0.25, 0.05),
      plain("LlmEndpointDown", Metric::llm_up, {{"llm.engine", "vllm"}, {"error.type", "timeout"}},
            1, 0, 1),
      counter("AgentLosesData", Metric::warpsight_dropped,
              {{"stage", "otlp"}, {"reason", "queue_full"}}),
      plain("AgentCannotDeliver", Metric::warpsight_spool_age, {{"sink", "otlp"}}, 3, 1234, 600),
  };
  for (Shape& shape : all) {
    if (shape.rule == "LlmEndpointDown") shape.named_by = "server.address";
    if (shape.rule == "LlmQueueGrowing") shape.bad = [](int step) { return 12 + step; };
  }
  return all;
}

// One series, step by step; kAbsent where it is not there.
struct Script {
  std::string name;
  std::vector<double> values;
};

class Scriptwriter {
 public:
  Scriptwriter(const Shape& shape, std::string name)
      : shape_(shape), script_{std::move(name), {}} {}

  Scriptwriter& good(int steps) { return add(shape_.good, steps); }
  Scriptwriter& bad(int steps) { return add(shape_.bad, steps); }
  Scriptwriter& edge(int steps) { return add(always(shape_.edge), steps); }
  Scriptwriter& absent(int steps) {
    script_.values.insert(script_.values.end(), static_cast<size_t>(steps), kAbsent);
    return *this;
  }
  Scriptwriter& reset() {
    total_ = 0;
    return *this;
  }
  Script done() { return std::move(script_); }

 private:
  Scriptwriter& add(const std::function<double(int)>& value, int steps) {
    for (int i = 0; i < steps; ++i) {
      if (shape_.counter) total_ += value(i);
      script_.values.push_back(shape_.counter ? total_ : value(i));
    }
    return *this;
  }

  const Shape& shape_;
  Script script_;
  double total_ = 5;
};

// Those that are shorter end then.
std::vector<Script> of_one_length(std::vector<Script> scripts) {
  size_t steps = 0;
  for (const Script& script : scripts) steps = std::max(steps, script.values.size());
  for (Script& script : scripts) script.values.resize(steps, kAbsent);
  return scripts;
}

std::vector<Script> scripts_of(const Shape& shape, const Rule& rule) {
  const Condition& last = rule.conditions.back();
  const int hold = steps_in(rule.hold);
  const int keep = steps_in(rule.keep_firing);
  const int window = steps_in(last.term.over);
  const int history = last.other ? steps_in(last.other->before + last.other->over) : window;
  const auto write = [&](std::string name) { return Scriptwriter(shape, std::move(name)); };
  return of_one_length({
      // Fires, resolves, and is bad again for too short a time.
      write("whole")
          .good(history + 3)
          .bad(hold + window + 4)
          .good(keep + window + 4)
          .bad(hold / 2)
          .good(window + 4)
          .done(),
      // Bad from the first sample on; relief that is shorter than keep_firing.
      write("flapping").bad(hold + window + 3).good(keep / 2).bad(4).good(keep / 2).bad(4).done(),
      // Ends while it fires, and comes back.
      write("ending")
          .good(history + 2)
          .bad(hold + window + 3)
          .absent(keep + 6)
          .bad(hold + 4)
          .done(),
      // A hole while it is pending.
      write("hole").good(history + 1).bad(std::max(2, hold / 2)).absent(2).bad(hold + 2).done(),
      write("reset").good(history).bad(3).reset().good(window + 3).done(),
      write("edge").edge(history + hold + window + 6).done(),
      write("well").good(history + hold + window + 6).done(),
  });
}

std::string in_quotes(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string labels_of(const EntityTable& entities, EntityId entity, const MetricRow& row) {
  std::string out;
  for (const Attribute& a : attributes_of(entities, entity, &row)) {
    out +=
        fmt::format("{}{}={}", out.empty() ? "" : ",", prometheus_label(a.key), in_quotes(a.value));
  }
  return out;
}

std::string series_values(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) {
    if (!out.empty()) out += ' ';
    if (std::isnan(value)) {
      out += "stale";
    } else {
      append_number(out, value);
    }
  }
  return out;
}

// What the engine says now, as promtool expects it.
std::string expectation(const Node& node, Duration at, std::string_view rule) {
  std::string out = fmt::format("      - eval_time: {}\n        alertname: {}\n",
                                at == 0s ? "0s" : format_duration(at), rule);
  bool any = false;
  for (const Alert& alert : node.engine().alerts()) {
    if (alert.state != AlertState::firing || alert.rule != rule) continue;
    if (!any) out += "        exp_alerts:\n";
    any = true;
    out += fmt::format("          - exp_labels: {{severity: {}", to_string(alert.severity));
    for (const Attribute& a : alert.attributes) {
      out += fmt::format(", {}: {}", prometheus_label(a.key), in_quotes(a.value));
    }
    out += fmt::format("}}\n            exp_annotations: {{summary: {}", in_quotes(alert.summary));
    if (!alert.description.empty()) {
      out += ", description: " + in_quotes(alert.description);
    }
    out += "}\n";
  }
  return out;
}

struct Input {
  Metric metric;
  Attributes attributes;
  std::vector<double> values;  // one for each step
};

struct Played {
  std::string test_file;
  int fired = 0;
  int resolved = 0;
};

// What promtool is to expect of the rules in `rule_file`: what the engine says of them.
Played play(const std::vector<Rule>& rules, const std::vector<Input>& inputs,
            const std::string& rule_file) {
  Node node(rules);
  node.interval = kInterval;
  Played out;
  out.test_file = fmt::format(
      "rule_files: [{}]\nevaluation_interval: {}\ntests:\n  - interval: {}\n    input_series:\n",
      rule_file, format_duration(kInterval), format_duration(kInterval));
  std::vector<EntityId> entities;
  for (const Input& input : inputs) {
    entities.push_back(node.entity(input.attributes));
    const MetricRow& metric = row(input.metric);
    const std::string name = prometheus_name(metric.name, metric.unit, metric.kind).sample;
    const std::string labels = labels_of(node.entities(), entities.back(), metric);
    out.test_file += fmt::format("      - series: {}\n        values: {}\n",
                                 in_quotes(fmt::format("{}{{{}}}", name, labels)),
                                 in_quotes(series_values(input.values)));
  }
  out.test_file += "    alert_rule_test:\n";
  for (size_t step = 0; step < inputs.front().values.size(); ++step) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const double value = inputs[i].values[step];
      if (std::isnan(value)) {
        node.unset(inputs[i].metric, entities[i]);
      } else {
        node.set(inputs[i].metric, entities[i], value);
      }
    }
    node.publish();
    for (const Rule& rule : rules) {
      out.test_file += expectation(node, kInterval * static_cast<int64_t>(step), rule.name);
    }
    for (const std::string& event : node.events()) {
      ++(event == "alert.firing" ? out.fired : out.resolved);
    }
  }
  return out;
}

std::vector<Input> inputs_of(const Shape& shape, const std::vector<Script>& scripts) {
  std::vector<Input> inputs;
  for (const Script& script : scripts) {
    Attributes attributes = shape.attributes;
    attributes.push_back({shape.named_by, script.name});
    inputs.push_back({shape.metric, std::move(attributes), script.values});
  }
  return inputs;
}

void expect_promtool_agrees(const std::vector<std::string>& test_files) {
  std::vector<std::string> command = {kPromtool, "test", "rules"};
  command.insert(command.end(), test_files.begin(), test_files.end());
  const auto said = run_command(command, 60s);
  ASSERT_TRUE(said) << describe(said.error());
  EXPECT_EQ(said->status.code, 0) << said->output.substr(0, 8000) << said->errors;
}

TEST(Parity, EveryShippedRuleHasAScenario) {
  for (const Rule& rule : builtin_rules()) {
    const auto all = shapes();
    EXPECT_TRUE(std::ranges::any_of(all, [&](const Shape& s) { return s.rule == rule.name; }))
        << rule.name;
  }
}

TEST(Parity, PrometheusSaysTheSameOfEveryShippedRule) {
  if (::access(kPromtool, X_OK) != 0) GTEST_SKIP() << "no " << kPromtool;
  const TestDir dir;
  std::vector<std::string> files;
  for (const Shape& shape : shapes()) {
    const auto rule = std::ranges::find(builtin_rules(), shape.rule, &Rule::name);
    ASSERT_NE(rule, builtin_rules().end()) << shape.rule;
    const std::string file = dir.write(fmt::format("{}.rules.yaml", shape.rule),
                                       prometheus_rules(std::span(&*rule, 1), kInterval));
    const std::vector<Script> scripts = scripts_of(shape, *rule);
    const Played played = play({*rule}, inputs_of(shape, scripts), file);
    EXPECT_GE(played.fired, 3) << shape.rule;
    EXPECT_GE(played.resolved, 1) << shape.rule;
    files.push_back(dir.write(fmt::format("{}.test.yaml", shape.rule), played.test_file));
  }
  expect_promtool_agrees(files);
}

constexpr std::string_view kEveryForm = R"(
rules:
  - {name: Last, when: {metric: gpu.temperature, above: 5}, summary: "{{ value }}"}
  - {name: Equal, when: {metric: gpu.temperature, match: {sensor: [a, c]}, equal: 4}, summary: s}
  - {name: Not, when: {metric: gpu.temperature, match: "sensor!=a", below: 4}, for: 30s, summary: s}
  - {name: Mean, when: {metric: gpu.temperature, take: mean, over: 1m, above: 4.5}, keep_firing: 45s, summary: "{{ value }}"}
  - {name: Min, when: {metric: gpu.temperature, take: min, over: 45s, above: 2}, summary: s}
  - {name: Max, when: {metric: gpu.temperature, take: max, over: 40s, below: 6}, for: 15s, keep_firing: 30s, summary: s}
  - {name: Rise, when: {metric: gpu.temperature, take: rise, over: 2m, above: 5}, summary: "{{ value }}"}
  - {name: Before, when: {metric: gpu.temperature, above: {times: 1.5, before: 1m}}, summary: s}
  - {name: Ago, when: {metric: gpu.temperature, before: 3m, above: 4}, summary: "{{ value }}"}
  - {name: RiseAgo, when: {metric: gpu.temperature, take: rise, over: 1m, above: {times: 2, before: 1m}}, summary: s}
  - {name: By, when: {metric: gpu.temperature, above: 3}, by: [gpu.index], for: 15s, summary: "{{ gpu.index }} {{ value }}"}
  - {name: ByLow, when: {metric: gpu.temperature, take: mean, over: 30s, below: 4}, by: [gpu.index], summary: "{{ value }}"}
  - {name: Other, when: {metric: gpu.power.draw, above: {metric: gpu.power.limit, times: 0.75}}, summary: s}
  - {name: OtherMean, when: {metric: gpu.power.draw, take: mean, over: 1m, below: {metric: gpu.power.limit, take: last}}, summary: s}
  - {name: All, when: [{metric: gpu.power.draw, above: 2}, {metric: gpu.power.limit, above: 2}], summary: s}
  - {name: OnBy, when: [{metric: gpu.temperature, above: 2}, {metric: gpu.power.draw, take: max, over: 1m, above: 5}], on: [gpu.index], by: [gpu.index], summary: "{{ value }}"}
)";

// Small whole numbers, so that thresholds are met exactly, with holes.
std::vector<double> any_values(std::mt19937& random, size_t steps) {
  std::uniform_int_distribution<int> value(0, 8);
  std::uniform_int_distribution<int> chance(0, 9);
  std::vector<double> out;
  double now = value(random);
  bool there = true;
  while (out.size() < steps) {
    if (chance(random) < 4) now = value(random);
    if (chance(random) < (there ? 1 : 4)) there = !there;
    out.push_back(there ? now : kAbsent);
  }
  return out;
}

TEST(Parity, PrometheusSaysTheSameOfRulesOfEveryForm) {
  if (::access(kPromtool, X_OK) != 0) GTEST_SKIP() << "no " << kPromtool;
  const TestDir dir;
  const std::vector<Rule> rules = testing::rules_of(kEveryForm);
  const std::string file = dir.write("rules.yaml", prometheus_rules(rules, kInterval));
  std::mt19937 random(7);  // NOLINT: the same every time
  std::vector<Input> inputs;
  constexpr size_t kSteps = 150;
  for (const std::string_view gpu : {"0", "1", "2"}) {
    for (const std::string_view sensor : {"a", "b", "c"}) {
      inputs.push_back({Metric::gpu_temperature,
                        {{"gpu.index", gpu}, {"sensor", sensor}},
                        any_values(random, kSteps)});
    }
    for (const Metric metric : {Metric::gpu_power_draw, Metric::gpu_power_limit}) {
      inputs.push_back({metric, {{"gpu.index", gpu}}, any_values(random, kSteps)});
    }
  }
  const Played played = play(rules, inputs, file);
  EXPECT_GT(played.fired, 100);
  EXPECT_GT(played.resolved, 100);
  expect_promtool_agrees({dir.write("test.yaml", played.test_file)});
}

TEST(Parity, PromtoolTakesTheRuleFile) {
  if (::access(kPromtool, X_OK) != 0) GTEST_SKIP() << "no " << kPromtool;
  const TestDir dir;
  const std::string file = dir.write("rules.yaml", prometheus_rules(builtin_rules(), 30s));
  const auto said = run_command({kPromtool, "check", "rules", file}, 30s);
  ASSERT_TRUE(said) << describe(said.error());
  EXPECT_EQ(said->status.code, 0) << said->output << said->errors;
}

}  // namespace
}  // namespace warpsight::alerts
