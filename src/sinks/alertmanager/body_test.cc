#include "sinks/alertmanager/body.h"

#include <gtest/gtest.h>

#include "wire/json_text.h"

namespace warpsight {
namespace {

using std::chrono::seconds;

constexpr Time kNow{seconds{1'700'000'000}};

Alert hot(AlertState state) {
  return {.id = "a1",
          .rule = "GpuHot",
          .state = state,
          .severity = Severity::error,
          .since = kNow - seconds{90},
          .fired = state == AlertState::pending ? Time{} : kNow - seconds{30},
          .resolved = state == AlertState::resolved ? kNow : Time{},
          .value = 91,
          .unit = "Cel",
          .attributes = {{"gpu.uuid", "GPU-1"}, {"k8s.pod.name", "train-0"}, {"empty", ""}},
          .summary = "GPU 0 is at 91 °C",
          .description = "Look at its fans.",
          .annotations = {{"runbook", "https://wiki/hot"}}};
}

class AlertmanagerBodyTest : public ::testing::Test {
 protected:
  // The message of this publish; empty when there is none.
  std::string at(Duration since, const std::vector<Alert>& alerts) {
    outbox_.clear();
    bodies_.encode(alerts, kNow + since, seconds{10}, outbox_);
    return outbox_.messages().empty() ? "" : outbox_.messages()[0].bytes;
  }

  const std::vector<Attribute> node_ = {{"host.name", "node7"}};
  AlertmanagerBodies bodies_{node_, seconds{30}};
  Outbox outbox_;
};

TEST_F(AlertmanagerBodyTest, LabelsAreThoseOfPrometheus) {
  JsonText text;
  const std::string body = at(seconds{0}, {hot(AlertState::firing)});
  const Json alert = [&] {
    Json first;
    text.parse(body).value().for_each([&](Json item) { first = item; });
    return first;
  }();
  EXPECT_EQ(alert["labels"]["alertname"].text(), "GpuHot");
  EXPECT_EQ(alert["labels"]["severity"].text(), "error");
  EXPECT_EQ(alert["labels"]["gpu_uuid"].text(), "GPU-1");
  EXPECT_EQ(alert["labels"]["k8s_pod_name"].text(), "train-0");
  EXPECT_EQ(alert["labels"]["host_name"].text(), "node7");
  EXPECT_FALSE(alert["labels"]["empty"].exists()) << "an Alertmanager refuses empty labels";
  EXPECT_EQ(alert["annotations"]["summary"].text(), "GPU 0 is at 91 °C");
  EXPECT_EQ(alert["annotations"]["description"].text(), "Look at its fans.");
  EXPECT_EQ(alert["annotations"]["runbook"].text(), "https://wiki/hot");
  EXPECT_EQ(alert["startsAt"].text(), "2023-11-14T22:12:50.000000000Z");
  EXPECT_EQ(alert["endsAt"].text(), "2023-11-14T22:15:20.000000000Z")
      << "four times the resend interval from now";
}

TEST_F(AlertmanagerBodyTest, AResolvedAlertEndsWhenItDid) {
  at(seconds{0}, {hot(AlertState::firing)});
  EXPECT_NE(at(seconds{10}, {hot(AlertState::resolved)})
                .find(R"("endsAt":"2023-11-14T22:13:20.000000000Z")"),
            std::string::npos);
}

TEST_F(AlertmanagerBodyTest, IsSaidOnChangeAndAgainFromTimeToTime) {
  EXPECT_EQ(at(seconds{0}, {}), "");
  EXPECT_EQ(at(seconds{10}, {hot(AlertState::pending)}), "") << "not firing yet";
  EXPECT_NE(at(seconds{20}, {hot(AlertState::firing)}), "");
  EXPECT_EQ(at(seconds{30}, {hot(AlertState::firing)}), "") << "said ten seconds ago";
  EXPECT_NE(at(seconds{50}, {hot(AlertState::firing)}), "") << "thirty seconds ago";
  EXPECT_NE(at(seconds{60}, {hot(AlertState::resolved)}), "") << "a change";
  EXPECT_EQ(at(seconds{70}, {}), "") << "nothing more to say";
}

TEST_F(AlertmanagerBodyTest, RarePublishesDoNotLetAnAlertExpire) {
  bodies_.encode(std::vector{hot(AlertState::firing)}, kNow, seconds{300}, outbox_);
  EXPECT_NE(outbox_.messages()[0].bytes.find(R"("endsAt":"2023-11-14T22:33:20)"), std::string::npos)
      << "four intervals from now";
}

TEST_F(AlertmanagerBodyTest, ASilencedAlertIsNotToldUntilItSpeaksAgain) {
  Alert silenced = hot(AlertState::firing);
  silenced.silenced = true;
  EXPECT_EQ(at(seconds{0}, {silenced}), "");
  EXPECT_NE(at(seconds{10}, {hot(AlertState::firing)}), "");
}

}  // namespace
}  // namespace warpsight
