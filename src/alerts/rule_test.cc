#include "alerts/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "alerts/builtin.h"
#include "core/catalogue.h"
#include "platform/file.h"
#include "platform/test_dir.h"
#include "tests/places.h"

namespace warpsight::alerts {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Rule, SaysEverythingThatCanBeSaid) {
  const LoadedRules loaded = parse_rules(R"(
rules:
  - name: GpuHot
    severity: error
    when: {metric: gpu.temperature, match: {gpu.temperature.sensor: [edge, hotspot]}, take: max, over: 2m, above: 85}
    for: 2m
    keep_firing: 1m
    by: [gpu.uuid]
    summary: "GPU {{ gpu.index }} is at {{ value }}"
    description: Cool it.
    labels: {team: hw}
    annotations: {runbook: "https://example.org"}
)",
                                         "hot.yaml");
  ASSERT_THAT(loaded.errors, IsEmpty()) << to_string(loaded.errors.front());
  ASSERT_THAT(loaded.rules, SizeIs(1));
  Rule expected;
  expected.name = "GpuHot";
  expected.severity = Severity::error;
  Condition condition;
  condition.term = {
      "gpu.temperature", {{"gpu.temperature.sensor", {"edge", "hotspot"}}}, Take::max, 2min};
  condition.threshold = 85;
  expected.conditions = {condition};
  expected.hold = 2min;
  expected.keep_firing = 1min;
  expected.by = {"gpu.uuid"};
  expected.summary = "GPU {{ gpu.index }} is at {{ value }}";
  expected.description = "Cool it.";
  expected.labels = {{"team", "hw"}};
  expected.annotations = {{"runbook", "https://example.org"}};
  expected.origin = "hot.yaml:3";
  EXPECT_EQ(loaded.rules.front(), expected);
}

TEST(Rule, ATermThatIsComparedWithTakesWhatItDoesNotSayFromTheOther) {
  const LoadedRules loaded = parse_rules(R"(
rules:
  - name: A
    when:
      - {metric: llm.generation.throughput, match: "model.name!=test", take: mean, over: 5m, below: {times: 0.5, before: 1h}}
      - {metric: llm.requests.waiting, equal: {metric: llm.requests.running}}
    on: server.address
    summary: s
)",
                                         "f");
  ASSERT_THAT(loaded.errors, IsEmpty()) << to_string(loaded.errors.front());
  const auto& conditions = loaded.rules.front().conditions;
  ASSERT_THAT(conditions, SizeIs(2));
  Term before = conditions[0].term;
  before.before = 1h;
  EXPECT_EQ(conditions[0].other, before);
  EXPECT_EQ(conditions[0].factor, 0.5);
  EXPECT_EQ(conditions[0].comparison, Comparison::below);
  EXPECT_TRUE(conditions[0].term.matchers.at(0).negated);
  EXPECT_EQ(conditions[1].comparison, Comparison::equal);
  EXPECT_EQ(conditions[1].other->metric, "llm.requests.running");
  EXPECT_THAT(loaded.rules.front().on, ElementsAre("server.address"));
}

// The only mistake of a rule whose `when` or further lines these are.
std::string mistake(const std::string& lines,
                    const std::string& when = "{metric: gpu.temperature, above: 85}") {
  const LoadedRules loaded =
      parse_rules("rules:\n  - name: A\n    when: " + when + "\n    " + lines, "my.yaml");
  EXPECT_THAT(loaded.rules, IsEmpty()) << lines << when;
  if (loaded.errors.size() != 1) {
    ADD_FAILURE() << loaded.errors.size() << " mistakes: " << lines << when;
    return {};
  }
  EXPECT_FALSE(loaded.errors.front().hint.empty());
  return to_string(loaded.errors.front());
}

TEST(Rule, MistakesSayWhereAndWhatToDo) {
  EXPECT_EQ(mistake("sumary: s\n    summary: s"),
            "my.yaml:4:5: unknown key \"sumary\"; did you mean \"summary\"?");
  EXPECT_THAT(mistake("summary: s\n    severity: warn"),
              AllOf(HasSubstr("my.yaml:5:15: unknown severity \"warn\""), HasSubstr("warning")));
  EXPECT_THAT(mistake("summary: s\n    for: soon"), HasSubstr("such as 30s or 5m"));
  EXPECT_THAT(mistake("summary: s\n    for: 100d"), HasSubstr("at most"));
  EXPECT_THAT(mistake("summary: s\n    enabled: maybe"), HasSubstr("true or false"));
  EXPECT_THAT(mistake("summary: \"{{ gpu.index\""), HasSubstr("not closed"));
  EXPECT_THAT(mistake("summary: \"{{ a b }}\""), HasSubstr("{{ value }}"));
  EXPECT_THAT(mistake("description: s"), HasSubstr("no summary"));
  EXPECT_THAT(mistake("summary: s\n    summary: t"), HasSubstr("twice"));
  EXPECT_THAT(mistake("summary: s\n    labels: {severity: x}"), HasSubstr("rule's own"));
  EXPECT_THAT(mistake("summary: s\n    labels: {a: \"{{ b }}\"}"), HasSubstr("label \"a\""));
}

TEST(Rule, MistakesOfConditionsToo) {
  const auto of = [](const std::string& when) { return mistake("summary: s", when); };
  EXPECT_THAT(of("{metric: gpu.temprature, above: 85}"),
              AllOf(HasSubstr("my.yaml:3:20"), HasSubstr("did you mean \"gpu.temperature\"?")));
  EXPECT_THAT(of("{metric: gpu.temperature}"), HasSubstr("compares with nothing"));
  EXPECT_THAT(of("{metric: gpu.temperature, above: 1, below: 2}"), HasSubstr("twice"));
  EXPECT_THAT(of("{metric: gpu.temperature, above: hot}"), HasSubstr("not a number"));
  EXPECT_THAT(of("{metric: gpu.temperature, above: .inf}"), HasSubstr("not a number"));
  EXPECT_THAT(of("{metric: gpu.temperature, take: max, above: 1}"), HasSubstr("over: 5m"));
  EXPECT_THAT(of("{metric: gpu.temperature, over: 5m, above: 1}"), HasSubstr("take: mean"));
  EXPECT_THAT(of("{metric: gpu.temperature, take: avg, over: 5m, above: 1}"),
              HasSubstr("unknown take"));
  EXPECT_THAT(of("{metric: gpu.temperature, above: {times: 2}}"), HasSubstr("with itself"));
  EXPECT_THAT(of("{metric: llm.ttft, above: 1}"), HasSubstr("llm.latency.quantile"));
  EXPECT_THAT(of("{metric: warpsight.alerts, above: 1}"), HasSubstr("made of alerts"));
  EXPECT_THAT(of("{above: 1}"), HasSubstr("names no metric"));
  EXPECT_THAT(of("{metric: gpu.temperature, match: [nothing], above: 1}"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(of("[]"), HasSubstr("0 conditions"));
  EXPECT_THAT(of("hot"), HasSubstr("expected a map"));
}

TEST(Rule, AllMistakesOfAFileAreFoundAtOnce) {
  const LoadedRules loaded = parse_rules(R"(
rules:
  - {name: "bad name", when: {metric: gpu.temperature, above: 1}, summary: s}
  - {name: Good, when: {metric: gpu.temperature, above: 1}, summary: s}
  - {name: Good, when: {metric: gpu.temperature, above: 1}, summary: s}
  - {summary: s}
  - 7
)",
                                         "f");
  EXPECT_THAT(loaded.rules, SizeIs(1));
  EXPECT_THAT(loaded.errors, SizeIs(5));
  EXPECT_THAT(parse_rules("rules: {a: b}", "f").errors, SizeIs(1));
  EXPECT_THAT(parse_rules("rulez: []", "f").errors, SizeIs(1));
  EXPECT_THAT(parse_rules("rules: [", "f").errors, SizeIs(1));
  EXPECT_THAT(parse_rules("", "f").errors, IsEmpty());
}

TEST(Rule, NamesThatEnginesBringAreAccepted) {
  const auto errors = [](const std::string& metric) {
    return parse_rules("{rules: [{name: A, summary: s, when: {metric: " + metric + ", above: 1}}]}",
                       "f")
        .errors.size();
  };
  EXPECT_EQ(errors("vllm.requests.running_in_alerts_test"), 0U);
  EXPECT_EQ(errors("xllm.requests.running"), 0U) << "another namespace than llm";
  EXPECT_EQ(errors("gpu.of_my_own.table"), 0U);
  EXPECT_EQ(errors("gpu.power.drow"), 1U);
}

TEST(Rule, FilesArePutOverTheShippedRules) {
  const TestDir dir;
  const std::string first = dir.write("a.yaml", R"(
rules:
  - {name: GpuHot, when: {metric: gpu.temperature, above: 70}, summary: mine}
  - {name: GpuIdle, enabled: false}
  - {name: Mine, when: {metric: gpu.power.draw, above: 1}, summary: s}
)");
  const std::string second = dir.write("b.yaml", "rules: [{name: Mine, enabled: false}]");
  const LoadedRules loaded = load_rules({first, second});
  ASSERT_THAT(loaded.errors, IsEmpty()) << to_string(loaded.errors.front());
  EXPECT_EQ(loaded.rules.size(), builtin_rules().size() + 1);
  for (const Rule& rule : loaded.rules) {
    EXPECT_EQ(rule.enabled, rule.name != "GpuIdle" && rule.name != "Mine") << rule.name;
    EXPECT_FALSE(rule.conditions.empty());
    EXPECT_EQ(rule.summary == "mine", rule.name == "GpuHot");
  }
}

TEST(Rule, WhatCannotBeLoadedIsToldAndTheRestIsLoaded) {
  const TestDir dir;
  const std::string file =
      dir.write("a.yaml", "rules:\n  - {name: GpuIdel, enabled: false}\n  - {name: GpuHot}\n");
  const LoadedRules loaded = load_rules({dir.path() + "/none.yaml", file});
  EXPECT_EQ(loaded.rules.size(), builtin_rules().size());
  ASSERT_THAT(loaded.errors, SizeIs(3));
  EXPECT_THAT(to_string(loaded.errors[0]),
              AllOf(HasSubstr("none.yaml"), HasSubstr("alerts.rules")));
  EXPECT_THAT(to_string(loaded.errors[1]), HasSubstr("GpuHot\" says not when"));
  EXPECT_THAT(to_string(loaded.errors[2]),
              AllOf(HasSubstr("a.yaml:2"), HasSubstr("did you mean \"GpuIdle\"?")));
}

TEST(ShippedRules, AreWholeAndSayWhatToDo) {
  const LoadedRules loaded = parse_rules(builtin_rules_text(), "built-in");
  for (const RuleError& error : loaded.errors) ADD_FAILURE() << to_string(error);
  EXPECT_GE(loaded.rules.size(), 25U);
  for (const Rule& rule : loaded.rules) {
    EXPECT_TRUE(rule.enabled) << rule.name;
    EXPECT_GT(rule.description.size(), 80U) << rule.name;
    for (const Condition& condition : rule.conditions) {
      EXPECT_TRUE(row(*find_metric(condition.term.metric)).produced) << rule.name;
    }
  }
}

TEST(ShippedRules, StandInTheManualWithTheirSeverity) {
  const auto manual = read_file(WARPSIGHT_SOURCE_DIR "/docs/alerts.md");
  ASSERT_TRUE(manual) << describe(manual.error());
  for (const Rule& rule : builtin_rules()) {
    const size_t row = manual->find("`" + rule.name + "`", manual->find("## Shipped rules"));
    ASSERT_NE(row, std::string::npos) << rule.name;
    const std::string_view line(manual->data() + row, manual->find('\n', row) - row);
    EXPECT_TRUE(line.ends_with("| " + std::string(to_string(rule.severity)) + " |")) << line;
  }
}

TEST(ShippedRules, MustNameMetricsOfTheCatalogue) {
  const auto loaded = parse_rules(
      "rules: [{name: A, summary: s, when: {metric: vllm.some.name, above: 1}}]", "built-in");
  EXPECT_THAT(loaded.errors, SizeIs(1));
}

}  // namespace
}  // namespace warpsight::alerts
