#include "ui/api/api_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/api/api_test_node.h"
#include "ui/api/json_document_test.h"
#include "ui/api/live_message.h"

namespace warpsight {
namespace {

using namespace std::chrono_literals;
using test::ApiNode;
using test::part;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Reply {
  int status;
  std::string type;
  std::string body;
};

class ApiAnswers : public ::testing::Test {
 protected:
  using LateAnswer = HttpJob (*)(ApiInputs&, const Parameters&, HttpResponse&);

  template <typename Fill>
  Reply reply(Fill&& fill) {
    std::string body;
    HttpResponse response{.body = body};
    fill(response);
    return {response.status, std::string(response.content_type), body};
  }
  Reply ask(LateAnswer answer, const Parameters& parameters) {
    return reply([&](HttpResponse& response) {
      if (const HttpJob job = answer(node_, parameters, response)) job(response);
    });
  }
  Reply silence(std::string_view body) {
    return reply([&](HttpResponse& response) { answer_silence(node_, body, response); });
  }
  Reply unsilence(const Parameters& parameters) {
    return reply([&](HttpResponse& response) { answer_unsilence(node_, parameters, response); });
  }
  Reply alerts() {
    return reply([&](HttpResponse& response) { answer_alerts(node_, response); });
  }
  void keep_history() { node_.history_ = std::make_shared<test::FakeHistory>(); }
  void evaluate_alerts() {
    node_.engine_ = std::make_unique<alerts::Engine>(node_.entities_, std::vector<alerts::Rule>{},
                                                     alerts::EngineSettings{}, node_.clock_);
  }

  ApiNode node_;
};

TEST_F(ApiAnswers, NowIsALineAndTheStreamCarriesTheSame) {
  node_.gpu("0", "GPU-a");
  node_.publish();
  const Reply now = reply([&](HttpResponse& response) { answer_now(node_, response); });
  EXPECT_EQ(now.type, "application/json");
  EXPECT_THAT(now.body, EndsWith("}\n"));
  const Reply live = reply([&](HttpResponse& response) { answer_live(node_, response); });
  EXPECT_EQ(live.type, "text/event-stream");
  EXPECT_EQ(live.body, "event: now\ndata: " + now.body + "\n");
  EXPECT_EQ(live_message(node_), live.body);
}

TEST_F(ApiAnswers, SeriesComeFromTheHistory) {
  keep_history();
  SeriesAnswer answer;
  answer.step = 10s;
  answer.rows.push_back({"gpu.power.draw", "W", MetricKind::gauge, {}, {}});
  node_.history_->series_answer = answer;
  const Reply got = ask(answer_series, {{"metric", "gpu.power.draw"}, {"from", "-2h"}});
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.type, "application/json");
  EXPECT_EQ(part(got.body, "/series/0/metric"), "\"gpu.power.draw\"");
  EXPECT_EQ(node_.history_->asked_series.from, node_.clock_.now() - 2h);
}

TEST_F(ApiAnswers, ANonsensicalRequestIsNotAskedOfTheHistory) {
  keep_history();
  const Reply got = ask(answer_series, {{"metrics", "gpu.power.draw"}});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(part(got.body), part(R"({"error": "there is no parameter \"metrics\"",
                                     "hint": "did you mean metric?"})"));
  EXPECT_THAT(node_.history_->asked_series.metrics, ElementsAre());
}

TEST_F(ApiAnswers, AMetricThatNobodyKnowsIsAMistakeOnlyWhereNothingWasFound) {
  keep_history();
  const Reply nothing = ask(answer_series, {{"metric", "gpu.utilisation"}});
  EXPECT_EQ(nothing.status, 400);
  EXPECT_THAT(part(nothing.body, "/hint"), HasSubstr("gpu.utilization"));
  EXPECT_EQ(ask(answer_series, {{"metric", "gpu.utilization"}}).status, 200);
  SeriesAnswer old;
  old.rows.push_back({"gpu.utilisation", "1", MetricKind::gauge, {}, {}});
  node_.history_->series_answer = old;
  EXPECT_EQ(ask(answer_series, {{"metric", "gpu.utilisation"}}).status, 200);
}

TEST_F(ApiAnswers, AHistoryThatCannotBeReadSaysWhy) {
  keep_history();
  node_.history_->series_answer = tl::unexpected(QueryError({"the disk is gone", "mount it"}));
  node_.history_->event_answer = fail("the disk is gone", "mount it");
  for (const Reply& got : {ask(answer_series, {{"metric", "m"}}), ask(answer_events, {})}) {
    EXPECT_EQ(got.status, 500);
    EXPECT_EQ(part(got.body), part(R"({"error": "the disk is gone", "hint": "mount it"})"));
  }
}

TEST_F(ApiAnswers, AQuestionThatTheHistoryCannotAnswerIsTheAskersMistake) {
  keep_history();
  node_.history_->series_answer =
      tl::unexpected(QueryError({"m is no counter", "ask for mean"}, QueryError::Cause::question));
  const Reply got = ask(answer_series, {{"metric", "m"}, {"aggregate", "rate"}});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(part(got.body), part(R"({"error": "m is no counter", "hint": "ask for mean"})"));
}

TEST_F(ApiAnswers, WithoutAHistoryThereAreNoSeriesButTheLatestEvents) {
  const Reply series = ask(answer_series, {{"metric", "gpu.power.draw"}});
  EXPECT_EQ(series.status, 404);
  EXPECT_THAT(part(series.body, "/hint"), HasSubstr("history.enabled"));
  node_.tell("gpu.xid", Severity::error, kNoEntity, "XID 79");
  node_.publish();
  const Reply events = ask(answer_events, {{"severity", "error"}});
  EXPECT_EQ(events.status, 200);
  EXPECT_EQ(part(events.body, "/events/0/name"), "\"gpu.xid\"");
  EXPECT_EQ(ask(answer_events, {{"severity", "fatal"}}).status, 400);
}

TEST_F(ApiAnswers, EventsComeFromTheHistory) {
  keep_history();
  node_.history_->event_answer =
      EventAnswer{{{node_.clock_.now(), "gpu.xid", Severity::error, "", {}}}, true};
  const Reply events = ask(answer_events, {{"name", "gpu.*"}});
  EXPECT_EQ(part(events.body, "/events/0/name"), "\"gpu.xid\"");
  EXPECT_EQ(part(events.body, "/more"), "true");
  EXPECT_THAT(node_.history_->asked_events.names, ElementsAre("gpu.*"));
}

TEST_F(ApiAnswers, LatestTakesAFilter) {
  node_.add(Metric::gpu_utilization, node_.gpu("0", "GPU-a"), 0.5);
  node_.publish();
  const Reply all = ask(answer_latest, {});
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(part(all.body, "/series/0/value"), part("0.5"));
  EXPECT_EQ(part(ask(answer_latest, {{"match", "gpu.index=1"}}).body, "/series"), "[]");
  EXPECT_EQ(ask(answer_latest, {{"metric", "gpu.utilisation"}}).status, 400);
}

TEST_F(ApiAnswers, ASilenceIsMadeSeenAndEnded) {
  evaluate_alerts();
  const Reply made =
      silence(R"({"match": ["alert.name=GpuHot"], "for": "2h", "comment": "known"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(part(made.body), part(R"({"id": "s1", "match": ["alert.name=GpuHot"],
      "created": 1700000000, "until": 1700007200, "comment": "known"})"));
  EXPECT_EQ(part(alerts().body, "/silences/0"), part(made.body));
  EXPECT_EQ(unsilence({{"id", "s9"}}).status, 404);
  EXPECT_EQ(unsilence({}).status, 400);
  const Reply ended = unsilence({{"id", "s1"}});
  EXPECT_EQ(ended.status, 204);
  EXPECT_EQ(ended.body, "");
  EXPECT_EQ(part(alerts().body, "/silences"), "[]");
  EXPECT_EQ(unsilence({{"id", "s1"}}).status, 404);
  EXPECT_EQ(node_.silence_changes_, 2) << "to be kept over a restart at once";
}

TEST_F(ApiAnswers, ASilenceThatMakesNoSenseIsRefused) {
  evaluate_alerts();
  EXPECT_EQ(silence("{}").status, 400);
  for (size_t i = 0; i < alerts::kMaxSilences; ++i) {
    EXPECT_EQ(silence(R"({"match": ["a=b"], "for": 60})").status, 201);
  }
  EXPECT_EQ(silence(R"({"match": ["a=b"], "for": 60})").status, 400);
}

TEST_F(ApiAnswers, WithoutAlertsTheListsAreEmptyAndNothingIsSilenced) {
  EXPECT_EQ(part(alerts().body), part(R"({"alerts": [], "rules": [], "silences": []})"));
  EXPECT_EQ(silence(R"({"match": ["a=b"], "for": 60})").status, 404);
  EXPECT_EQ(unsilence({{"id", "s1"}}).status, 404);
}

}  // namespace
}  // namespace warpsight
