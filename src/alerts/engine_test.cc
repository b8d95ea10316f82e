#include "alerts/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "alerts/node_for_test.h"

namespace warpsight::alerts {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Node;
using ::testing::Pair;
using testing::rules_of;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kHot = R"(
rules:
  - name: Hot
    severity: error
    when: {metric: gpu.temperature, above: 85}
    for: 30s
    keep_firing: 20s
    summary: "GPU {{ gpu.index }} is at {{ value }}"
    labels: {team: hw}
    annotations: {runbook: "https://example.org/{{ gpu.index }}"}
)";

TEST(Engine, AnAlertIsPendingThenFiringThenResolved) {
  Node node(rules_of(kHot));
  const EntityId gpu = node.gpu("0");
  node.set(Metric::gpu_temperature, gpu, 85);
  node.publish();
  EXPECT_EQ(node.states(), "") << "85 is not above 85";
  node.set(Metric::gpu_temperature, gpu, 86);
  const Time began = node.clock.now();
  node.publish();
  EXPECT_EQ(node.states(), "pending");
  node.publish();
  node.publish();
  EXPECT_EQ(node.states(), "pending") << "20 seconds are not 30";
  EXPECT_THAT(node.events(), IsEmpty());
  node.set(Metric::gpu_temperature, gpu, 91.5);
  node.publish();
  ASSERT_EQ(node.states(), "firing");
  EXPECT_THAT(node.events(), ElementsAre("alert.firing"));
  const Alert fired = node.engine().alerts().front();
  EXPECT_EQ(fired.since, began);
  EXPECT_EQ(fired.fired, began + 30s);
  EXPECT_EQ(fired.summary, "GPU 0 is at 91.5 °C");
  EXPECT_EQ(fired.value, 91.5);
  EXPECT_EQ(fired.unit, "Cel");
  EXPECT_EQ(fired.severity, Severity::error);
  EXPECT_THAT(fired.attributes,
              UnorderedElementsAre(Attribute{"gpu.index", "0"}, Attribute{"team", "hw"}));
  EXPECT_THAT(fired.annotations, ElementsAre(Attribute{"runbook", "https://example.org/0"}));

  node.set(Metric::gpu_temperature, gpu, 60);
  node.publish();
  node.publish();
  EXPECT_EQ(node.states(), "firing") << "kept for 20 s after it was first seen not to hold";
  EXPECT_EQ(node.engine().alerts().front().value, 91.5) << "the value when it last held";
  node.publish();
  EXPECT_EQ(node.states(), "resolved");
  EXPECT_THAT(node.events(), ElementsAre("alert.resolved"));
  EXPECT_EQ(node.engine().alerts().front().id, fired.id);
  node.publish_for(16min);
  EXPECT_EQ(node.states(), "") << "listed for 15 minutes";
}

TEST(Engine, EventsSayWhatFiredForWhom) {
  Node node(rules_of(kHot));
  const EntityId gpu = node.gpu("3");
  node.set(Metric::gpu_temperature, gpu, 90);
  node.publish_for(40s);
  node.registry().read([&](const Snapshot& snapshot) {
    ASSERT_THAT(snapshot.events, SizeIs(1));
    const Event& event = snapshot.events.front();
    EXPECT_EQ(event.name, "alert.firing");
    EXPECT_EQ(event.severity, Severity::error);
    EXPECT_EQ(event.entity, gpu);
    EXPECT_EQ(event.message, "GPU 3 is at 90 °C");
    EXPECT_EQ(event.attribute("alert.name"), "Hot");
    EXPECT_EQ(event.attribute("severity"), "error");
    EXPECT_EQ(event.attribute("value"), "90");
    EXPECT_EQ(event.attribute("gpu.index"), "3");
    EXPECT_EQ(event.attribute("team"), "hw");
  });
}

TEST(Engine, AShortReliefResetsPendingButDoesNotFlapFiring) {
  Node node(rules_of(kHot));
  const EntityId gpu = node.gpu("0");
  const auto step = [&](double celsius) {
    node.set(Metric::gpu_temperature, gpu, celsius);
    node.publish();
    return node.states();
  };
  step(90);
  step(90);
  EXPECT_EQ(step(80), "");
  EXPECT_EQ(step(90), "pending");
  step(90);
  step(90);
  EXPECT_EQ(step(90), "firing");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(step(80), "firing");
    EXPECT_THAT(node.events(), IsEmpty());
    EXPECT_EQ(step(90), "firing");
    EXPECT_THAT(node.events(), IsEmpty());
  }
}

TEST(Engine, ItFiresAgainAfterItWasResolved) {
  Node node(
      rules_of(R"({rules: [{name: A, when: {metric: gpu.temperature, above: 85}, summary: s}]})"));
  const EntityId gpu = node.gpu("0");
  for (int i = 0; i < 3; ++i) {
    node.set(Metric::gpu_temperature, gpu, 90);
    node.publish();
    EXPECT_EQ(node.states(), "firing");
    EXPECT_THAT(node.events(), ElementsAre("alert.firing"));
    node.set(Metric::gpu_temperature, gpu, 80);
    node.publish();
    EXPECT_EQ(node.states(), "resolved");
    EXPECT_THAT(node.events(), ElementsAre("alert.resolved"));
  }
}

TEST(Engine, TheGaugeCountsByRuleAndStateAndGoesOnWithZero) {
  Node node(rules_of(kHot));
  node.set(Metric::gpu_temperature, node.gpu("0"), 90);
  node.publish();
  EXPECT_THAT(node.gauge(), UnorderedElementsAre(Pair("Hot pending", 1), Pair("Hot firing", 0)));
  node.publish_for(20s);
  node.set(Metric::gpu_temperature, node.gpu("1"), 90);
  node.publish();
  EXPECT_THAT(node.gauge(), UnorderedElementsAre(Pair("Hot pending", 1), Pair("Hot firing", 1)));
  node.set(Metric::gpu_temperature, node.gpu("0"), 0);
  node.set(Metric::gpu_temperature, node.gpu("1"), 0);
  node.publish_for(30s);
  EXPECT_THAT(node.gauge(), UnorderedElementsAre(Pair("Hot pending", 0), Pair("Hot firing", 0)));
}

TEST(Engine, FiringOnesAreListedFirstAndNewestFirst) {
  Node node(rules_of(kHot));
  for (const std::string_view index : {"0", "1", "2"}) {
    node.set(Metric::gpu_temperature, node.gpu(index), 90);
    node.publish_for(20s);
  }
  ASSERT_EQ(node.states(), "firing firing pending");
  EXPECT_EQ(node.engine().alerts()[0].attributes.front().value, "1");
  EXPECT_EQ(node.engine().alerts()[1].attributes.front().value, "0");
}

TEST(Engine, ASeriesThatEndsEndsItsAlert) {
  Node node(rules_of(kHot));
  const EntityId gpu = node.gpu("0");
  node.set(Metric::gpu_temperature, gpu, 90);
  node.publish_for(40s);
  ASSERT_EQ(node.states(), "firing");
  node.unset(Metric::gpu_temperature, gpu);
  node.publish_for(20s);
  EXPECT_EQ(node.states(), "firing");
  node.publish();
  EXPECT_EQ(node.states(), "resolved");
}

TEST(Engine, AWindowDoesNotOutliveItsSeries) {
  Node node(rules_of(
      R"({rules: [{name: A, when: {metric: gpu.utilization, take: mean, over: 5m, below: 0.1}, summary: s}]})"));
  const EntityId gpu = node.gpu("0");
  node.set(Metric::gpu_utilization, gpu, 0);
  node.publish();
  EXPECT_EQ(node.states(), "firing");
  node.end(gpu);
  node.publish();
  EXPECT_EQ(node.states(), "resolved");
}

TEST(Engine, ANewOwnerIsAnotherAlert) {
  Node node(rules_of(R"(
rules:
  - name: Idle
    when: {metric: gpu.utilization, take: mean, over: 1m, below: 0.1}
    for: 20s
    summary: "idle, held by {{ k8s.pod.name or \"nobody\" }}"
)"));
  const EntityId gpu = node.gpu("0");
  node.set(Metric::gpu_utilization, gpu, 0);
  node.wear(gpu, {{"k8s.pod.name", "a"}});
  node.publish_for(40s);
  ASSERT_EQ(node.states(), "firing");
  EXPECT_EQ(node.engine().alerts().front().summary, "idle, held by a");
  const std::string first = node.engine().alerts().front().id;
  node.wear(gpu, {{"k8s.pod.name", "b"}});
  node.publish();
  node.publish();
  EXPECT_EQ(node.states(), "pending resolved");
  EXPECT_EQ(node.engine().alerts().back().id, first);
  EXPECT_EQ(node.engine().alerts().front().summary, "idle, held by b");
  EXPECT_NE(node.engine().alerts().front().id, first);
}

TEST(Engine, AGpuThatComesBackIsTheSameThing) {
  Node node(rules_of(
      R"({rules: [{name: A, when: {metric: gpu.pcie.replays, take: rise, over: 5m, above: 0}, summary: s}]})"));
  const EntityId gpu = node.gpu("0");
  node.set(Metric::gpu_pcie_replays, gpu, 5);
  node.publish();
  node.end(gpu);
  node.publish();
  const EntityId again = node.gpu("0");
  ASSERT_NE(again, gpu);
  node.set(Metric::gpu_pcie_replays, again, 7);
  node.publish();
  ASSERT_EQ(node.states(), "firing") << "what it had before is in the window";
  EXPECT_EQ(node.engine().alerts().front().value, 2);
}

TEST(Engine, ByMakesOneAlertOfTheHighestSeries) {
  Node node(rules_of(R"(
rules:
  - name: A
    when: {metric: gpu.temperature, above: 85}
    by: [gpu.index]
    summary: "{{ gpu.index }}{{ gpu.temperature.sensor }} {{ value }}"
)"));
  const auto sensor = [&](std::string_view name) {
    return node.entity({{"gpu.index", "0"}, {"gpu.temperature.sensor", name}});
  };
  node.set(Metric::gpu_temperature, sensor("edge"), 88);
  node.set(Metric::gpu_temperature, sensor("memory"), 95);
  node.set(Metric::gpu_temperature, sensor("hotspot"), 20);
  node.publish();
  ASSERT_EQ(node.states(), "firing");
  const std::string id = node.engine().alerts().front().id;
  EXPECT_EQ(node.engine().alerts().front().summary, "0 95 °C");
  EXPECT_THAT(node.engine().alerts().front().attributes, ElementsAre(Attribute{"gpu.index", "0"}));
  node.set(Metric::gpu_temperature, sensor("memory"), 50);
  node.publish();
  EXPECT_EQ(node.states(), "firing");
  EXPECT_EQ(node.engine().alerts().front().id, id);
  EXPECT_EQ(node.engine().alerts().front().summary, "0 88 °C");
}

TEST(Engine, AllConditionsMustHoldForTheSameThing) {
  Node node(rules_of(R"(
rules:
  - name: A
    when:
      - {metric: gpu.temperature, match: {gpu.temperature.sensor: edge}, above: 85}
      - {metric: gpu.utilization, below: 0.1}
    on: [gpu.index]
    summary: "{{ gpu.index }}"
)"));
  for (const std::string_view index : {"0", "1", "2"}) {
    node.set(Metric::gpu_temperature,
             node.entity({{"gpu.index", index}, {"gpu.temperature.sensor", "edge"}}),
             index == "2" ? 50 : 90);
    node.set(Metric::gpu_utilization, node.gpu(index), index == "1" ? 0.5 : 0);
  }
  node.publish();
  ASSERT_EQ(node.states(), "firing");
  EXPECT_EQ(node.engine().alerts().front().summary, "0");
  EXPECT_EQ(node.engine().alerts().front().value, 90);
  node.set(Metric::gpu_utilization, node.gpu("0"), 1);
  node.publish();
  EXPECT_EQ(node.states(), "resolved");
}

TEST(Engine, WithoutOnAllAttributesMustBeEqual) {
  Node node(rules_of(R"(
rules:
  - name: A
    when: [{metric: gpu.power.draw, above: 1}, {metric: gpu.power.peak, above: 1}]
    summary: s
)"));
  node.set(Metric::gpu_power_draw, node.gpu("0"), 2);
  node.set(Metric::gpu_power_peak, node.gpu("1"), 2);
  node.publish();
  EXPECT_EQ(node.states(), "");
  node.set(Metric::gpu_power_peak, node.gpu("0"), 2);
  node.publish();
  EXPECT_EQ(node.states(), "firing");
}

TEST(Engine, ComparesWithAnotherMetricOfTheSameThing) {
  Node node(rules_of(R"(
rules:
  - name: A
    when: {metric: gpu.power.draw, above: {metric: gpu.power.limit, times: 0.9}}
    summary: s
)"));
  node.set(Metric::gpu_power_draw, node.gpu("0"), 640);
  node.set(Metric::gpu_power_draw, node.gpu("1"), 640);
  node.set(Metric::gpu_power_limit, node.gpu("0"), 700);
  node.publish();
  EXPECT_EQ(node.states(), "firing");
  node.set(Metric::gpu_power_limit, node.gpu("0"), 720);
  node.publish();
  EXPECT_EQ(node.states(), "resolved");
}

TEST(Engine, ComparesWithWhatWasBefore) {
  Node node(rules_of(R"(
rules:
  - name: A
    when: {metric: llm.generation.throughput, take: mean, over: 1m, below: {times: 0.5, before: 10m}}
    summary: "{{ value }}"
)"));
  const EntityId model = node.entity({{"model.name", "m"}});
  node.set(Metric::llm_generation_throughput, model, 1000);
  node.publish_for(9min);
  node.set(Metric::llm_generation_throughput, model, 400);
  node.publish();
  node.publish_for(1min);
  EXPECT_EQ(node.states(), "firing") << "the mean fell below 500 against 10 minutes ago";
  EXPECT_EQ(node.engine().alerts().front().summary, "400 tokens/s");
  node.publish_for(10min);
  EXPECT_EQ(node.states(), "resolved") << "by now 400 is what was before";
}

TEST(Engine, WindowsTakeMeanMinMaxAndRise) {
  const auto says = [](std::string_view take, double threshold, std::vector<double> values) {
    Node node(
        rules_of("{rules: [{name: A, when: {metric: gpu.power.draw, take: " + std::string(take) +
                 ", over: 30s, above: " + std::to_string(threshold) + "}, summary: s}]}"));
    for (const double value : values) {
      node.set(Metric::gpu_power_draw, node.gpu("0"), value);
      node.publish();
    }
    return node.states() == "firing";
  };
  EXPECT_TRUE(says("mean", 24.9, {900, 10, 20, 30, 40}));
  EXPECT_FALSE(says("mean", 25.1, {900, 10, 20, 30, 40})) << "both ends are in the window, no more";
  EXPECT_TRUE(says("min", 9, {1, 10, 20, 30, 40}));
  EXPECT_FALSE(says("min", 10, {1, 10, 20, 30, 40}));
  EXPECT_TRUE(says("max", 39, {90, 40, 20, 30, 10}));
  EXPECT_FALSE(says("max", 40, {90, 40, 20, 30, 10}));
  EXPECT_TRUE(says("rise", 1, {5, 5, 5, 7}));
  EXPECT_FALSE(says("rise", 2, {5, 5, 5, 7}));
  EXPECT_FALSE(says("rise", 0, {5, 5, 0, 0})) << "a reset";
  EXPECT_FALSE(says("rise", 0, {7, 9, 9, 9, 9, 9})) << "it rose before the window";
}

TEST(Engine, AMetricMayAppearLater) {
  Node node(rules_of(
      R"({rules: [{name: A, when: {metric: toy.load_of_alerts_test, above: 1}, summary: s}]})"));
  node.publish();
  const auto metric = add_metric({"toy.load_of_alerts_test", MetricKind::gauge, "1", "", "", ""});
  ASSERT_TRUE(metric);
  node.set(*metric, node.gpu("0"), 2);
  node.publish();
  EXPECT_EQ(node.states(), "firing");
}

TEST(Engine, MoreThanTheMostAreCounted) {
  Node node(rules_of(kHot), {.max_alerts = 2});
  for (const std::string_view index : {"0", "1", "2", "3"}) {
    node.set(Metric::gpu_temperature, node.gpu(index), 90);
  }
  node.publish_for(60s);
  EXPECT_EQ(node.states(), "firing firing");
  EXPECT_EQ(node.engine().dropped(), 2U) << "once each, not at every publish";
  for (const std::string_view index : {"0", "1", "2", "3"}) {
    node.set(Metric::gpu_temperature, node.gpu(index), 20);
  }
  node.publish_for(60s);
  ASSERT_EQ(node.states(), "resolved resolved");
  node.set(Metric::gpu_temperature, node.gpu("4"), 90);
  node.publish();
  EXPECT_EQ(node.states(), "pending resolved") << "one that ended makes room";
}

TEST(Engine, RulesChangeAndAlertsOfThoseThatStayAreKept) {
  auto rules = rules_of(kHot);
  Node node(rules);
  node.set(Metric::gpu_temperature, node.gpu("0"), 90);
  node.publish_for(40s);
  ASSERT_EQ(node.states(), "firing");
  rules.front().conditions.front().threshold = 88;
  rules.front().summary = "new words";
  node.engine().set_rules(rules);
  node.set(Metric::gpu_temperature, node.gpu("0"), 89);
  node.publish();
  EXPECT_EQ(node.states(), "firing");
  EXPECT_THAT(node.events(), IsEmpty());
  EXPECT_EQ(node.engine().alerts().front().summary, "new words");
  node.engine().set_rules({});
  node.publish();
  EXPECT_EQ(node.states(), "resolved");
  EXPECT_THAT(node.events(), ElementsAre("alert.resolved"));
  node.publish();
  EXPECT_THAT(node.gauge(), IsEmpty());
}

TEST(Engine, WindowsOutliveAChangeOfRules) {
  const auto rules = rules_of(
      R"({rules: [{name: A, when: {metric: gpu.pcie.replays, take: rise, over: 5m, above: 0}, summary: s}]})");
  Node node(rules);
  node.set(Metric::gpu_pcie_replays, node.gpu("0"), 5);
  node.publish();
  node.engine().set_rules(rules);
  node.set(Metric::gpu_pcie_replays, node.gpu("0"), 6);
  node.publish();
  EXPECT_EQ(node.states(), "firing");
}

TEST(Engine, ADisabledRuleSaysNothing) {
  auto rules = rules_of(kHot);
  rules.front().enabled = false;
  Node node(rules);
  node.set(Metric::gpu_temperature, node.gpu("0"), 90);
  node.publish_for(60s);
  EXPECT_EQ(node.states(), "");
  EXPECT_THAT(node.engine().rules(), SizeIs(1));
}

TEST(Engine, AClockThatIsSetBackStopsNothing) {
  Node node(rules_of(kHot));
  node.set(Metric::gpu_temperature, node.gpu("0"), 90);
  node.publish_for(20s);
  node.clock.advance(-1h);
  node.set(Metric::gpu_temperature, node.gpu("1"), 90);
  node.publish_for(40s);
  ASSERT_EQ(node.states(), "firing");
  EXPECT_EQ(node.engine().alerts().front().attributes.front().value, "1");
}

TEST(Engine, SilencedAlertsAreShownAndNotTold) {
  Node node(rules_of(kHot));
  const EntityId gpu = node.gpu("0");
  node.set(Metric::gpu_temperature, gpu, 90);
  node.set(Metric::gpu_temperature, node.gpu("1"), 90);
  const auto silence = node.engine().silences().add({*parse_matcher("gpu.index=0")},
                                                    node.clock.now() + 1min, "", node.clock.now());
  ASSERT_TRUE(silence);
  node.publish_for(40s);
  EXPECT_EQ(node.states(), "firing firing");
  EXPECT_THAT(node.events(), SizeIs(1)) << "of GPU 1";
  EXPECT_EQ(node.engine().alerts()[0].silenced != node.engine().alerts()[1].silenced, true);
  node.publish_for(20s);
  EXPECT_THAT(node.events(), IsEmpty());
  node.publish();
  EXPECT_THAT(node.events(), ElementsAre("alert.firing"))
      << "the silence is over and it still fires";
  node.publish();
  EXPECT_THAT(node.events(), IsEmpty());
}

TEST(Engine, WhatWasNeverToldIsNotToldToBeOver) {
  Node node(rules_of(kHot));
  node.set(Metric::gpu_temperature, node.gpu("0"), 90);
  ASSERT_TRUE(node.engine().silences().add({*parse_matcher("alert.name=Hot")},
                                           node.clock.now() + 1h, "", node.clock.now()));
  node.publish_for(60s);
  node.set(Metric::gpu_temperature, node.gpu("0"), 20);
  node.publish_for(30s);
  EXPECT_EQ(node.states(), "resolved");
  EXPECT_THAT(node.events(), IsEmpty());
}

}  // namespace
}  // namespace warpsight::alerts
