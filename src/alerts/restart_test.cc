// What alerts and silences are after a restart of the agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "alerts/node_for_test.h"
#include "alerts/state_file.h"
#include "platform/file.h"
#include "platform/test_dir.h"
#include "runtime/log.h"

namespace warpsight::alerts {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Node;
using testing::rules_of;
using ::testing::SizeIs;

class Restart : public ::testing::Test {
 protected:
  static std::vector<Rule> rules() {
    return rules_of(R"(
rules:
  - name: Hot
    when: {metric: gpu.temperature, above: 85}
    for: 1m
    keep_firing: 20s
    summary: "GPU {{ gpu.index }} is at {{ value }}"
)");
  }

  void heat(double celsius) { node_.set(Metric::gpu_temperature, gpu_, celsius); }
  void save_and_restart(Duration away = 30s) {
    save();
    node_.clock.advance(away);
    node_.restart(rules());
  }
  // False: there was nothing new to say.
  bool save(bool now = false) {
    const auto text = node_.engine().unsaved(now);
    if (text) {
      EXPECT_TRUE(write_file_atomically(file(), *text));
    }
    return text.has_value();
  }
  std::string file() const { return dir_.path() + "/alerts.json"; }

  TestDir dir_;
  Node node_{rules(), {.state_file = file()}};
  EntityId gpu_ = node_.gpu("0");
};

TEST_F(Restart, APendingAlertGoesOnFromWhereItWas) {
  heat(90);
  const Time began = node_.clock.now();
  node_.publish_for(30s);
  save_and_restart(20s);
  EXPECT_EQ(node_.states(), "pending") << "before the first publish";
  node_.publish();
  EXPECT_EQ(node_.states(), "pending");
  node_.publish();
  ASSERT_EQ(node_.states(), "firing");
  EXPECT_EQ(node_.engine().alerts().front().since, began);
  EXPECT_THAT(node_.events(), ElementsAre("alert.firing"));
}

TEST_F(Restart, APendingAlertOfLongAgoBeginsAnew) {
  heat(90);
  node_.publish_for(30s);
  save_and_restart(10min);
  node_.publish();
  EXPECT_EQ(node_.states(), "pending");
  EXPECT_GT(node_.engine().alerts().front().since, node_.clock.now() - 1min);
}

TEST_F(Restart, AFiringAlertFiresOnAndIsNotToldAgain) {
  heat(90);
  node_.publish_for(70s);
  ASSERT_EQ(node_.states(), "firing");
  const Alert before = node_.engine().alerts().front();
  save_and_restart(1h);
  heat(92);
  node_.publish();
  ASSERT_EQ(node_.states(), "firing");
  EXPECT_THAT(node_.events(), IsEmpty());
  const Alert& after = node_.engine().alerts().front();
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.fired, before.fired);
  EXPECT_EQ(after.summary, "GPU 0 is at 92 °C");
}

TEST_F(Restart, OneThatHoldsNoMoreIsResolvedAndTold) {
  heat(90);
  node_.publish_for(70s);
  save_and_restart();
  heat(50);
  node_.publish_for(20s);
  EXPECT_EQ(node_.states(), "firing")
      << "keep_firing counts from when it was first seen not to hold";
  node_.publish();
  EXPECT_EQ(node_.states(), "resolved");
  EXPECT_THAT(node_.events(), ElementsAre("alert.resolved"));
}

TEST_F(Restart, ItWaitsAWhileForItsSeries) {
  heat(90);
  node_.publish_for(70s);
  save_and_restart();
  node_.unset(Metric::gpu_temperature, gpu_);
  node_.publish_for(110s);
  EXPECT_EQ(node_.states(), "firing");
  heat(90);
  node_.publish();
  EXPECT_EQ(node_.states(), "firing");
  EXPECT_THAT(node_.events(), IsEmpty());
}

TEST_F(Restart, ItDoesNotWaitForEver) {
  heat(90);
  node_.publish_for(70s);
  save_and_restart();
  node_.unset(Metric::gpu_temperature, gpu_);
  node_.publish_for(150s);
  EXPECT_EQ(node_.states(), "resolved");
}

TEST_F(Restart, AnAlertOfARuleThatIsNoMoreIsResolved) {
  heat(90);
  node_.publish_for(70s);
  ASSERT_TRUE(save());
  node_.restart({});
  node_.publish();
  EXPECT_EQ(node_.states(), "resolved");
  EXPECT_THAT(node_.events(), ElementsAre("alert.resolved"));
}

TEST_F(Restart, SilencesAreKeptUntilTheyEnd) {
  Silences& before = node_.engine().silences();
  ASSERT_TRUE(before.add({*parse_matcher("alert.name=Hot|Cold"), *parse_matcher("gpu.index!=7")},
                         node_.clock.now() + 2min, "known", node_.clock.now()));
  ASSERT_TRUE(
      before.add({*parse_matcher("severity=info")}, node_.clock.now() + 5s, "", node_.clock.now()));
  save_and_restart();
  const auto after = node_.engine().silences().active(node_.clock.now());
  ASSERT_THAT(after, SizeIs(1));
  EXPECT_EQ(after[0].id, "s1");
  EXPECT_EQ(after[0].comment, "known");
  EXPECT_EQ(after[0].matchers[0], *parse_matcher("alert.name=Hot|Cold"));
  EXPECT_EQ(after[0].matchers[1], *parse_matcher("gpu.index!=7"));
  const auto next = node_.engine().silences().add({*parse_matcher("alert.name=Hot")},
                                                  node_.clock.now() + 1min, "", node_.clock.now());
  EXPECT_NE(next->id, "s1");
}

TEST_F(Restart, OnlyWhatIsNewIsToBeWritten) {
  EXPECT_FALSE(save()) << "nothing to remember";
  heat(90);
  node_.publish();
  EXPECT_TRUE(save());
  node_.publish();
  EXPECT_FALSE(save()) << "it holds on, and nothing else";
  EXPECT_TRUE(save(true)) << "at the end it says so";
  node_.publish_for(70s);
  EXPECT_TRUE(save());
}

TEST_F(Restart, RulesThatComeAfterTheStateWasReadDecideHowLongAPendingAlertIsKept) {
  heat(90);
  node_.publish_for(30s);
  save();
  node_.clock.advance(2min + 30s);
  node_.restart({});
  std::vector<Rule> patient = rules();
  patient[0].hold = 10min;
  node_.engine().set_rules(patient);
  node_.publish();
  EXPECT_EQ(node_.states(), "pending");
  EXPECT_LT(node_.engine().alerts()[0].since, node_.clock.now() - 2min);
}

TEST_F(Restart, AReloadedRuleIsHeardEvenWhileTheValueStays) {
  heat(90);
  node_.publish_for(70s);
  std::vector<Rule> stricter = rules();
  stricter[0].severity = Severity::error;
  stricter[0].summary = "too hot";
  node_.engine().set_rules(stricter);
  node_.publish();
  EXPECT_EQ(node_.engine().alerts()[0].severity, Severity::error);
  EXPECT_EQ(node_.engine().alerts()[0].summary, "too hot");
}

TEST_F(Restart, ADamagedFileIsSetAside) {
  heat(90);
  node_.publish_for(70s);
  ASSERT_TRUE(save());
  std::ofstream(file(), std::ios::app) << "{";
  LogCapture log;
  node_.restart(rules());
  EXPECT_EQ(node_.states(), "");
  EXPECT_TRUE(log.contains("set_aside"));
  EXPECT_TRUE(std::filesystem::exists(file() + ".corrupt"));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST(StateFile, WhatItDidNotWriteIsNotRead) {
  for (
      const std::string_view text :
      {"", "[]", "{}", R"({"version":2,"alerts":[],"silences":[]})", R"({"version":1,"alerts":[]})",
       R"({"version":1,"alerts":[{}],"silences":[]})",
       R"({"version":1,"alerts":[],"silences":[{"id":"s1","match":[]}]})",
       R"({"version":1,"alerts":[{"id":"zz","rule":"A","state":"firing","severity":"info","value":1}],"silences":[]})"}) {
    EXPECT_FALSE(parse_state(text)) << text;
  }
  EXPECT_TRUE(parse_state(R"({"version":1,"alerts":[],"silences":[]})"));
}

}  // namespace
}  // namespace warpsight::alerts
