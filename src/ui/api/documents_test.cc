#include <gtest/gtest.h>

#include <limits>

#include "ui/api/alerts_json.h"
#include "ui/api/api_test_node.h"
#include "ui/api/error_json.h"
#include "ui/api/events_json.h"
#include "ui/api/json_document_test.h"
#include "ui/api/latest_json.h"
#include "ui/api/series_json.h"

namespace warpsight {
namespace {

using namespace std::chrono_literals;
using test::ApiNode;
using test::part;

constexpr Time kNow{1'700'000'000s};
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

TEST(SeriesJson, StepsWithoutASampleAreNull) {
  SeriesQuery query;
  query.from = kNow - 15s;
  query.to = kNow;
  query.aggregate = Aggregate::max;
  SeriesAnswer answer;
  answer.first = kNow - 20s;
  answer.step = 10s;
  answer.steps = 2;
  answer.rows.push_back({"gpu.power.draw",
                         "W",
                         MetricKind::gauge,
                         {{"gpu.index", "0"}, {".x", "y"}},
                         {512.5, kNothing}});
  answer.left_out = 3;
  std::string out;
  append_series_json(out, query, answer);
  EXPECT_EQ(part(out),
            part(R"({"from": 1699999985, "to": 1700000000, "step": 10, "aggregate": "max",
      "times": [1699999980, 1699999990], "left_out": 3,
      "series": [{"metric": "gpu.power.draw", "unit": "W", "kind": "gauge",
                  "attributes": {"gpu.index": "0"}, "values": [512.5, null]}]})"));
}

class LatestJson : public ::testing::Test {
 protected:
  std::string latest(const LatestFilter& filter) {
    std::string out;
    append_latest_json(out, latest_values(node_.registry_, filter), filter, node_.entities_);
    return out;
  }
  ApiNode node_;
};

TEST_F(LatestJson, BeforeTheFirstPublishThereIsNothing) {
  EXPECT_EQ(part(latest({})), part(R"({"time": null, "series": []})"));
}

TEST_F(LatestJson, EveryValueOrThoseThatMatch) {
  const EntityId a = node_.gpu("0", "GPU-a");
  const EntityId b = node_.gpu("1", "GPU-b");
  node_.add(Metric::gpu_utilization, a, 0.5);
  node_.add(Metric::gpu_utilization, b, 0.75);
  node_.add(Metric::gpu_busy_time, b, 40);
  node_.publish();
  EXPECT_EQ(part(latest({}), "/series/2/metric"), "\"gpu.busy.time\"");
  EXPECT_EQ(part(latest({{Metric::gpu_utilization}, {{"gpu.index", {"1"}}}})),
            part(R"({"time": 1700000000, "series": [
              {"metric": "gpu.utilization", "unit": "1", "kind": "gauge",
               "attributes": {"gpu.index": "1", "gpu.task.type": "compute", "gpu.uuid": "GPU-b", "gpu.model": "H100",
                              "gpu.vendor": "nvidia"},
               "value": 0.75, "time": 1700000000}]})"));
  EXPECT_EQ(part(latest({{}, {{"gpu.index", {"7"}}}}), "/series"), "[]");
}

TEST_F(LatestJson, WhatEndedWhileTheAnswerWasMadeIsLeftOut) {
  const EntityId gpu = node_.gpu("0", "GPU-a");
  node_.add(Metric::gpu_utilization, gpu, 0.5);
  node_.publish();
  const LatestValues taken = latest_values(node_.registry_, {});
  node_.entities_.remove(gpu, [](EntityId) {});
  std::string out;
  append_latest_json(out, taken, {}, node_.entities_);
  EXPECT_EQ(part(out, "/series"), "[]");
}

TEST_F(LatestJson, AHistogramsValueIsItsCount) {
  Batch batch;
  batch.begin(node_.clock_.now(), 10s);
  const EntityId sink = node_.facet(kNoEntity, {{"sink", "otlp"}});
  batch.add_histogram(Metric::warpsight_sink_duration, sink, std::vector{0.1, 1.0},
                      std::vector<uint64_t>{3, 2, 1}, 4.5);
  node_.registry_.apply(node_.registry_.add_source("runtime"), batch, node_.clock_.now());
  node_.publish();
  EXPECT_EQ(part(latest({}), "/series/0/value"), part("6"));
  EXPECT_EQ(part(latest({}), "/series/0/kind"), "\"histogram\"");
}

class EventsJson : public ::testing::Test {
 protected:
  EventsJson() {
    gpu_ = node_.gpu("0", "GPU-a");
    node_.tell("gpu.xid", Severity::error, gpu_, "XID 79", {{"gpu.xid.code", "79"}, {".x", "y"}});
    node_.clock_.advance(10s);
    node_.tell("gpu.owner.changed", Severity::info, gpu_, "changed");
    node_.clock_.advance(10s);
    node_.tell("llm.endpoint.down", Severity::warning, kNoEntity, "down");
    node_.publish();
    query_.to = Time::max();
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    answer_ = recent_events(node_.registry_.recent_events(), node_.entities_, query_);
    for (const KeptEvent& event : answer_.events) all.push_back(event.name);
    return all;
  }
  using Names = std::vector<std::string>;

  ApiNode node_;
  EntityId gpu_;
  EventQuery query_;
  EventAnswer answer_;
};

TEST_F(EventsJson, RecentOnesAreFoundAsTheHistoryWouldFindThem) {
  EXPECT_EQ(names(), (Names{"llm.endpoint.down", "gpu.owner.changed", "gpu.xid"}));
  EXPECT_FALSE(answer_.more);
  query_.names = {"gpu.*"};
  EXPECT_EQ(names(), (Names{"gpu.owner.changed", "gpu.xid"}));
  query_.limit = 1;
  EXPECT_EQ(names(), (Names{"gpu.owner.changed"}));
  EXPECT_TRUE(answer_.more);
  query_.names = {"gpu.xid", "gpu.xi"};
  EXPECT_EQ(names(), (Names{"gpu.xid"}));
  EXPECT_FALSE(answer_.more);
  query_ = {};
  query_.to = Time::max();
  query_.least = Severity::warning;
  EXPECT_EQ(names(), (Names{"llm.endpoint.down", "gpu.xid"}));
  query_.matchers = {{"gpu.uuid", {"GPU-a"}}};
  EXPECT_EQ(names(), (Names{"gpu.xid"}));
  query_ = {};
  query_.from = kNow + 5s;
  query_.to = kNow + 15s;
  EXPECT_EQ(names(), (Names{"gpu.owner.changed"}));
}

TEST_F(EventsJson, AnEventHasItsOwnAttributesAndItsThings) {
  query_.names = {"gpu.xid"};
  names();
  std::string out;
  append_events_json(out, answer_);
  EXPECT_EQ(part(out), part(R"({"more": false, "events": [
      {"time": 1700000000, "name": "gpu.xid", "severity": "error", "message": "XID 79",
       "attributes": {"gpu.index": "0", "gpu.uuid": "GPU-a", "gpu.model": "H100",
                      "gpu.vendor": "nvidia", "gpu.xid.code": "79"}}]})"));
}

TEST(AlertsJson, AlertsRulesAndSilences) {
  Alert pending = test::firing_alert();
  pending.id = "77";
  pending.state = AlertState::pending;
  pending.fired = {};
  pending.attributes = {{"gpu.uuid", "GPU-b"}};
  const std::vector<Alert> alerts = {test::firing_alert(), pending};

  alerts::Rule rule;
  rule.name = "GpuHot";
  rule.severity = Severity::error;
  rule.conditions.push_back({.term = {"gpu.temperature"}, .threshold = 85});
  rule.hold = 5min;
  rule.keep_firing = 1min;
  rule.summary = "GPU {{ gpu.index }} is hot";
  rule.origin = "built-in";
  alerts::Rule other = rule;
  other.name = "GpuCold";
  other.enabled = false;
  const std::vector<alerts::Rule> rules = {rule, other};

  alerts::Silences silences;
  ASSERT_TRUE(silences.add({{"gpu.uuid", {"GPU-a", "GPU-c"}}}, kNow + 2h, "known", kNow));
  ASSERT_TRUE(silences.add({{"gpu.uuid", {"GPU-b"}}}, kNow + 1s, "", kNow));

  std::string out;
  append_alerts_json(out, {alerts, rules, silences, kNow + 10s});
  EXPECT_EQ(part(out, "/alerts/0"),
            part(R"({"id": "3f2a", "name": "GpuHot", "state": "firing", "severity": "error",
              "since": 1699999000, "fired": 1699999300, "resolved": null, "value": 91, "unit": "Cel",
              "summary": "GPU 0 is hot", "description": "It <is>.",
              "attributes": {"gpu.uuid": "GPU-a"}, "silenced": true})"));
  EXPECT_EQ(part(out, "/alerts/1/silenced"), "false");
  EXPECT_EQ(part(out, "/alerts/1/fired"), "null");
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"name", "\"GpuHot\""},
           {"severity", "\"error\""},
           {"enabled", "true"},
           {"summary", "\"GPU {{ gpu.index }} is hot\""},
           {"for", "300"},
           {"keep_firing", "60"},
           {"origin", "\"built-in\""},
           {"pending", "1"},
           {"firing", "1"}}) {
    EXPECT_EQ(part(out, "/rules/0/" + key), part(value)) << key;
  }
  EXPECT_NE(part(out, "/rules/0/expression").find("gpu_temperature"), std::string::npos);
  EXPECT_EQ(part(out, "/rules/1/enabled"), "false");
  EXPECT_EQ(part(out, "/rules/1/firing"), part("0"));
  EXPECT_EQ(part(out, "/silences"),
            part(R"([{"id": "s1", "match": ["gpu.uuid=GPU-a|GPU-c"], "created": 1700000000,
                      "until": 1700007200, "comment": "known"}])"));
}

TEST(ErrorJson, WhatPeopleTypedStaysText) {
  std::string out;
  append_error_json(out, {"no \"x\"\n</script>\xff", "say \\ y"});
  EXPECT_EQ(
      part(out),
      part("{\"error\": \"no \\\"x\\\"\\n</script>\xef\xbf\xbd\", \"hint\": \"say \\\\ y\"}"));
}

}  // namespace
}  // namespace warpsight
