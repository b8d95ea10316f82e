// What alerts and silences are after a restart of the agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "alerts/node_for_test.h"
#include "alerts/state_file.h"
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
    const auto saved = node_.engine().save();
    ASSERT_TRUE(saved) << describe(saved.error());
    node_.clock.advance(away);
    node_.restart(rules());
  }
  std::string file() const { return dir_.path() + "/state/alerts.json"; }

  TestDir dir_;
  Node node_{rules(), {.state_dir = dir_.path() + "/state"}};
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
  EXPECT_EQ(node_.states(), "");
  node_.publish();
  EXPECT_EQ(node_.states(), "pending");
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
  ASSERT_TRUE(node_.engine().save());
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

TEST_F(Restart, TheFileIsWrittenOnlyWhenSomethingChanged) {
  ASSERT_TRUE(node_.engine().save());
  EXPECT_FALSE(std::filesystem::exists(file())) << "nothing to remember";
  heat(90);
  node_.publish();
  ASSERT_TRUE(node_.engine().save());
  ASSERT_TRUE(std::filesystem::exists(file()));
  std::filesystem::remove(file());
  node_.publish();
  ASSERT_TRUE(node_.engine().save());
  EXPECT_FALSE(std::filesystem::exists(file())) << "it holds on, and nothing else";
  ASSERT_TRUE(node_.engine().save(true));
  EXPECT_TRUE(std::filesystem::exists(file())) << "at the end it says so";
  std::filesystem::remove(file());
  node_.publish_for(70s);
  ASSERT_TRUE(node_.engine().save());
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(Restart, ADamagedFileIsSetAside) {
  heat(90);
  node_.publish_for(70s);
  ASSERT_TRUE(node_.engine().save());
  std::ofstream(file(), std::ios::app) << "{";
  LogCapture log;
  node_.restart(rules());
  EXPECT_EQ(node_.states(), "");
  EXPECT_TRUE(log.contains("set_aside"));
  EXPECT_TRUE(std::filesystem::exists(file() + ".corrupt"));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Restart, AFolderThatCannotBeWrittenIsAnErrorWithWhatToDo) {
  std::ofstream(dir_.path() + "/state") << "a file";
  heat(90);
  node_.publish();
  const auto saved = node_.engine().save();
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("alerts.json"));
  EXPECT_FALSE(saved.error().hint.empty());
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
