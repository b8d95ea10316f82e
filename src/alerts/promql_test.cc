#include "alerts/promql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "alerts/node_for_test.h"
#include "alerts/text_template.h"

namespace warpsight::alerts {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::rules_of;

std::string expression(const std::string& when, const std::string& more = "") {
  return promql(
      rules_of("rules:\n  - name: A\n    summary: s\n    when: " + when + "\n    " + more).front());
}

TEST(Promql, NamesAndUnitsAreThoseOfThePage) {
  EXPECT_EQ(
      expression("{metric: gpu.temperature, match: {gpu.temperature.sensor: edge}, above: 85}"),
      "gpu_temperature_celsius{gpu_temperature_sensor=\"edge\"} > 85");
  EXPECT_EQ(expression("{metric: llm.kv_cache.usage, above: 0.9}"),
            "llm_kv_cache_usage_ratio > 0.9");
  EXPECT_EQ(expression("{metric: toy.x_of_promql_test, equal: 1}"), "toy_x_of_promql_test == 1");
}

TEST(Promql, Matchers) {
  EXPECT_EQ(
      expression(
          R"({metric: gpu.devices, match: ["a.b=x.y|z", "c!=1", "d!=1|2", "e=a\"b"], above: 0})"),
      R"(gpu_devices{a_b=~"x\\.y|z",c!="1",d!~"1|2",e="a\"b"} > 0)");
}

TEST(Promql, WindowsEndWithTheirSeries) {
  EXPECT_EQ(expression("{metric: gpu.utilization, take: mean, over: 5m, below: 0.1}"),
            "avg_over_time(gpu_utilization_ratio[5m]) < 0.1 and gpu_utilization_ratio");
  EXPECT_EQ(expression("{metric: gpu.pcie.replays, take: rise, over: 90s, above: 0}"),
            "gpu_pcie_replays_total - min_over_time(gpu_pcie_replays_total[90s]) > 0");
}

TEST(Promql, OtherTermsAndOffsets) {
  EXPECT_EQ(
      expression("{metric: gpu.power.draw, take: max, over: 1m, below: {times: 0.5, before: 1h}}"),
      "max_over_time(gpu_power_draw_watts[1m]) < 0.5 * max_over_time(gpu_power_draw_watts[1m] "
      "offset 1h) and gpu_power_draw_watts");
  EXPECT_EQ(expression("{metric: gpu.power.draw, above: {metric: gpu.power.limit}}"),
            "gpu_power_draw_watts > gpu_power_limit_watts");
  EXPECT_EQ(expression("{metric: gpu.power.draw, before: 5m, above: 1}"),
            "gpu_power_draw_watts offset 5m > 1 and gpu_power_draw_watts");
}

TEST(Promql, SeveralConditionsAndGroups) {
  EXPECT_EQ(expression("[{metric: gpu.power.draw, above: 1}, {metric: gpu.fan.speed, below: 2}]",
                       "on: [gpu.uuid, gpu.index]"),
            "(gpu_power_draw_watts > 1) and on (gpu_uuid, gpu_index, job, instance) "
            "(gpu_fan_speed_ratio < 2)");
  EXPECT_EQ(expression("{metric: gpu.fan.speed, below: 2}", "by: [gpu.uuid]"),
            "min by (gpu_uuid, job, instance) (gpu_fan_speed_ratio < 2)");
}

TEST(Promql, RuleFile) {
  const std::string file = prometheus_rules(rules_of(R"(
rules:
  - name: Hot
    severity: error
    when: {metric: gpu.temperature, above: 85}
    for: 2m
    keep_firing: 1m
    labels: {my.team: hw}
    annotations: {runbook: "https://example.org/{{ gpu.index }}"}
    summary: "GPU {{ gpu.index }} of {{ k8s.pod.name or \"nobody\" }} is at {{ value }}"
  - {name: Off, when: {metric: gpu.temperature, above: 85}, summary: s, enabled: false}
)"),
                                            30s);
  EXPECT_EQ(file, R"(# Written by `warpsight rules --prometheus`.
groups:
  - name: warpsight
    interval: 30s
    rules:
      - alert: Hot
        expr: "gpu_temperature_celsius > 85"
        for: 2m
        keep_firing_for: 1m
        labels:
          severity: "error"
          my_team: "hw"
        annotations:
          summary: "GPU {{ $labels.gpu_index }} of {{ or $labels.k8s_pod_name \"nobody\" }} is at {{ $value | printf \"%.4g °C\" }}"
          runbook: "https://example.org/{{ $labels.gpu_index }}"
)");
  EXPECT_THAT(prometheus_rules({}, 30s), HasSubstr("rules: []\n"));
}

TEST(ValueText, IsAsAPersonReadsIt) {
  EXPECT_EQ(value_text(0.931, "1"), "93.1%");
  EXPECT_EQ(value_text(93.15, "%"), "93.15%");
  EXPECT_EQ(value_text(1.5 * 1024 * 1024 * 1024, "By"), "1.5GiB");
  EXPECT_EQ(value_text(86, "Cel"), "86 °C");
  EXPECT_EQ(value_text(0.6213, "s"), "0.6213 s");
  EXPECT_EQ(value_text(12, "{request}"), "12");
}

TEST(TextTemplate, FirstChoiceThatIsNotEmptyCounts) {
  const auto text = TextTemplate::parse("a {{ x or y or \"z w\" }} {{value}}.");
  ASSERT_TRUE(text);
  const std::vector<Attribute> both = {{"x", "1"}, {"y", "2"}};
  EXPECT_EQ(text->render(both, "9"), "a 1 9.");
  EXPECT_EQ(text->render(std::span(both).last(1), "9"), "a 2 9.");
  EXPECT_EQ(text->render({}, "9"), "a z w 9.");
  EXPECT_EQ(TextTemplate::parse("{{ x }}!")->render({}, ""), "!");
}

}  // namespace
}  // namespace warpsight::alerts
