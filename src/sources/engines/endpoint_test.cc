#include "sources/engines/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/registry.h"

namespace warpsight::engines {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kPage =
    "vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 3\n"
    "vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 4\n";

class EndpointTest : public testing::Test {
 protected:
  static EndpointSettings settings() {
    return {.origin = "http://127.0.0.1:8000",
            .url = "http://127.0.0.1:8000/metrics",
            .address = "127.0.0.1:8000",
            .page = {},
            .operation = "chat",
            .engine = nullptr,
            .version = {},
            .lasting = true};
  }

  void answer(int status, std::string body, HttpHeaders headers = {}) {
    take({.tag = 0,
          .reply =
              HttpReply{.status = status, .body = std::move(body), .headers = std::move(headers)},
          .took = std::chrono::milliseconds{5}});
  }
  void take(const Fetched& fetched) {
    clock_.advance(seconds{10});
    batch_.begin(clock_.now(), seconds{10});
    endpoint_.take(fetched, batch_);
    events_ = batch_.events;
    publish();
  }
  void publish() {
    registry_.apply(writer_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
  }
  // Of all series of the metric, "key=value ..." of the attribute, then the value.
  std::vector<std::pair<std::string, double>> told(Metric metric, std::string_view key) {
    return registry_.read([&](const Snapshot& snapshot) {
      std::vector<std::pair<std::string, double>> values;
      for (const Sample& sample : snapshot.samples) {
        const Series* series = snapshot.series_of(sample);
        if (series == nullptr || series->metric != metric) continue;
        values.emplace_back(entities_.attribute(series->entity, key), sample.value);
      }
      return values;
    });
  }
  using Told = std::vector<std::pair<std::string, double>>;

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t writer_ = registry_.add_source("scrape");
  EngineTables tables_ = *EngineTables::load();
  Claims claims_;
  Endpoint endpoint_{settings(), tables_, claims_, entities_};
  Batch batch_;
  std::vector<Event> events_;
};

TEST_F(EndpointTest, AGoodPageIsUp) {
  answer(200, kPage);
  EXPECT_EQ(told(Metric::llm_up, "llm.engine"), (Told{{"vllm", 1}}));
  EXPECT_EQ(told(Metric::llm_requests_running, "model.name"), (Told{{"m", 3}}));
  EXPECT_EQ(told(Metric::llm_scrape_samples, "server.address"), (Told{{"127.0.0.1:8000", 2}}));
  EXPECT_EQ(told(Metric::llm_scrape_duration, "llm.engine"), (Told{{"vllm", 0.005}}));
  EXPECT_TRUE(events_.empty());
  EXPECT_EQ(endpoint_.trouble(), "");
}

TEST_F(EndpointTest, SaysWhyAPageCannotBeRead) {
  const struct {
    int status;
    const char* body;
    HttpHeaders headers;
    const char* type;
    const char* words;
  } cases[] = {
      {401, "", {}, "401", "auth.bearer"},
      {404, "", {}, "404", "check the path"},
      {501, "", {}, "501", "--metrics"},
      {302, "", {{"Location", "http://elsewhere/"}}, "redirect", "http://elsewhere/"},
      {200, "<html>hello</html>", {}, "not_metrics", "check the path"},
      {200, "", {}, "empty", "no samples"},
      {200,
       kPage,
       {{"Content-Type", "application/openmetrics-text; version=1.0.0"}},
       "cut_short",
       "# EOF"},
  };
  for (const auto& c : cases) {
    answer(c.status, c.body, c.headers);
    EXPECT_EQ(told(Metric::llm_up, "error.type"), (Told{{c.type, 0}}))
        << "one series, with the reason";
    ASSERT_EQ(events_.size(), 1U) << c.type;
    EXPECT_EQ(events_[0].name, "llm.endpoint.down");
    EXPECT_THAT(events_[0].message, HasSubstr(c.words));
    EXPECT_THAT(endpoint_.trouble(), HasSubstr(c.words));
  }
}

TEST_F(EndpointTest, TroubleIsToldOnceAndItsEndToo) {
  const Fetched refused{
      .tag = 0,
      .reply = fail(TransportFailure::Kind::connect, "nobody listens", "start it"),
      .took = {}};
  take(refused);
  EXPECT_EQ(events_.size(), 1U);
  EXPECT_EQ(told(Metric::llm_up, "llm.engine"), (Told{{"unknown", 0}}));
  take(refused);
  EXPECT_TRUE(events_.empty());
  answer(200, kPage);
  ASSERT_EQ(events_.size(), 1U);
  EXPECT_EQ(events_[0].name, "llm.endpoint.up");
  EXPECT_EQ(told(Metric::llm_up, "llm.engine"), (Told{{"vllm", 1}}));
}

TEST_F(EndpointTest, LinesThatCannotBeReadAreNamedAndTheRestIsTold) {
  answer(200, std::string(kPage) + "garbage{\n");
  EXPECT_EQ(told(Metric::llm_up, "llm.engine"), (Told{{"vllm", 1}}));
  ASSERT_EQ(events_.size(), 1U);
  EXPECT_EQ(events_[0].name, "llm.page.incomplete");
  EXPECT_THAT(events_[0].message, HasSubstr("line 3"));
  answer(200, std::string(kPage) + "garbage{\n");
  EXPECT_TRUE(events_.empty()) << "once";
}

TEST_F(EndpointTest, AsksForTheReleaseOnceItIsUpAndAgainAfterAnOutage) {
  EXPECT_EQ(endpoint_.version_url(), std::nullopt);
  answer(200, kPage);
  EXPECT_EQ(endpoint_.version_url(), "http://127.0.0.1:8000/version");
  EXPECT_EQ(endpoint_.version_url(), std::nullopt);
  endpoint_.take_version("{\"version\": \"0.11.2\"}", batch_);
  answer(200, kPage);
  EXPECT_EQ(told(Metric::llm_requests_running, "llm.engine.version"), (Told{{"0.11.2", 3}}));
  answer(500, "");
  answer(200, kPage);
  EXPECT_TRUE(endpoint_.version_url());
  endpoint_.take_version("{\"version\": \"0.12.0\"}", batch_);
  answer(200, kPage);
  EXPECT_EQ(told(Metric::llm_requests_running, "llm.engine.version"), (Told{{"0.12.0", 3}}));
}

TEST_F(EndpointTest, AVersionThatIsNoneChangesNothing) {
  answer(200, kPage);
  for (const char* body : {"", "[]", "{\"version\": 7}", "<html>"}) {
    endpoint_.take_version(body, batch_);
  }
  EXPECT_TRUE(batch_.gone.empty());
}

TEST_F(EndpointTest, ItsEndIsTheEndOfAllItTold) {
  answer(200, kPage);
  batch_.begin(clock_.now(), seconds{10});
  endpoint_.end(batch_);
  publish();
  EXPECT_EQ(told(Metric::llm_up, "llm.engine"), Told{});
  EXPECT_EQ(told(Metric::llm_requests_running, "model.name"), Told{});
  EXPECT_EQ(entities_.size(), 0U);
}

}  // namespace
}  // namespace warpsight::engines
