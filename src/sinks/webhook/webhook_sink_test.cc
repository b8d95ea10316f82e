#include "sinks/webhook/webhook_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "../tests/unit/allocation_counter.h"
#include "sinks/webhook/body.h"
#include "sinks/webhook/signature.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(WebhookSignature, IsWhatOthersCompute) {
  EXPECT_EQ(webhook_signature("it is a secret", 1700000000, R"({"a":1})"),
            "sha256=e13ca661150ed628f4ae657a91356a99ce1d89519ed99c20a90f567c6f061275");
}

TEST(WebhookDeliveryId, IsTheBodysHash) {
  EXPECT_EQ(delivery_id(""), "cbf29ce484222325");
  EXPECT_EQ(delivery_id("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(delivery_id("foobar"), "85944171f73967e8");
}

struct Post {
  std::map<std::string, std::string> headers;
  std::string body;
};

class FakeClient final : public HttpClient {
 public:
  FakeClient(std::vector<Post>& posts, int status) : posts_(posts), status_(status) {}
  TransportResult<HttpReply> post(const std::string& url, const HttpHeaders& headers,
                                  std::string_view body) override {
    EXPECT_EQ(url, "https://host/hook?token=t");
    posts_.push_back({{headers.begin(), headers.end()}, std::string(body)});
    return HttpReply{status_, "said the peer", {}};
  }
  TransportResult<HttpReply> get(const std::string&, const HttpHeaders&) override {
    return HttpReply{};
  }
  void interrupt() override {}

 private:
  std::vector<Post>& posts_;
  int status_;
};

class WebhookTest : public ::testing::Test {
 protected:
  WebhookTest() {
    EXPECT_TRUE(options_.set("url", "https://host/hook?token=t"));
    begin();
  }
  void begin() { batch_.begin(clock_.now(), std::chrono::seconds{1}); }
  void publish() {
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
  }
  std::vector<std::string> bodies() {
    if (!sink_) make_sink();
    outbox_.clear();
    registry_.read([&](const Snapshot& snapshot) { sink_->encode(snapshot, outbox_); });
    std::vector<std::string> all;
    for (const Message& message : outbox_.messages()) all.push_back(message.bytes);
    return all;
  }
  void make_sink(int status = 200) {
    sink_ = make_webhook_sink({clock_, entities_, options_, resource_},
                              std::make_unique<FakeClient>(posts_, status));
  }
  void add_event() {
    batch_.events.push_back(
        {clock_.now(), "gpu.xid", Severity::error, gpu_, "two\nlines", {{"gpu.xid.code", "79"}}});
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  EntityId gpu_ = entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  Batch batch_;
  Options options_ = Options::defaults(webhook_sink_options());
  std::vector<Attribute> resource_ = {{"host.name", "node1"}, {"simulated", "true"}};
  std::vector<Post> posts_;
  std::unique_ptr<Sink> sink_;
  Outbox outbox_;
};

constexpr std::string_view kHead =
    R"({"schema":"warpsight/1","time":"2023-11-14T22:13:20.000000000Z",)"
    R"("resource":{"host.name":"node1"},"simulated":true,)";
constexpr std::string_view kEvent =
    R"({"time":"2023-11-14T22:13:20.000000000Z","event":"gpu.xid","severity":"error",)"
    R"("message":"two\nlines","attributes":{"gpu.index":"0","gpu.xid.code":"79"}})";
std::string power(std::string_view value) {
  return R"({"time":"2023-11-14T22:13:20.000000000Z","metric":"gpu.power.draw","value":)" +
         std::string(value) + R"(,"unit":"W","kind":"gauge","attributes":{"gpu.index":"0"}})";
}

TEST_F(WebhookTest, APublishIsOneDocument) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  batch_.add(Metric::gpu_temperature, gpu_, 40);
  add_event();
  publish();
  EXPECT_THAT(
      bodies(),
      ElementsAre(std::string(kHead) + R"("points":[)" +
                  R"({"time":"2023-11-14T22:13:20.000000000Z","metric":"gpu.temperature",)"
                  R"("value":40,"unit":"Cel","kind":"gauge","attributes":{"gpu.index":"0"}},)" +
                  power("70") + R"(],"events":[)" + std::string(kEvent) + "]}"));
  EXPECT_EQ(outbox_.messages()[0].points, 2U);
}

TEST_F(WebhookTest, NothingIsNotPosted) {
  publish();
  EXPECT_THAT(bodies(), IsEmpty());
}

TEST_F(WebhookTest, LargePublishesAreSeveralRequests) {
  ASSERT_TRUE(options_.set("max_points", "2"));
  for (int i = 0; i < 5; ++i) {
    const EntityId facet = entities_.intern(EntityKind::facet, gpu_, {{"i", std::to_string(i)}});
    batch_.add(Metric::gpu_power_draw, facet, i);
  }
  add_event();
  publish();
  const std::vector<std::string> all = bodies();
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_THAT(all[0], HasSubstr("\"events\":[" + std::string(kEvent) + "]}"));
  EXPECT_THAT(all[1], HasSubstr(R"("i":"3"}}],"events":[]})"));
  EXPECT_THAT(all[2], HasSubstr(R"("points":[{)"));
  EXPECT_EQ(outbox_.messages()[2].points, 1U);
}

TEST_F(WebhookTest, EventsAloneWhereNothingElseIsWanted) {
  ASSERT_TRUE(options_.set("events_only", "true"));
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  publish();
  EXPECT_THAT(bodies(), IsEmpty());
  add_event();
  publish();
  EXPECT_THAT(bodies(),
              ElementsAre(std::string(kHead) + R"("events":[)" + std::string(kEvent) + "]}"));
  EXPECT_EQ(outbox_.messages()[0].points, 1U);
}

TEST_F(WebhookTest, RequestsAreJsonThatReceiversCanTellApart) {
  make_sink();
  const Message first{0, 1, R"({"a":1})"};
  EXPECT_EQ(sink_->deliver(first).outcome, Delivery::Outcome::accepted);
  sink_->deliver(first);
  sink_->deliver({0, 1, R"({"a":2})"});
  ASSERT_THAT(posts_, SizeIs(3));
  EXPECT_EQ(posts_[0].body, R"({"a":1})");
  EXPECT_EQ(posts_[0].headers["Content-Type"], "application/json");
  EXPECT_THAT(posts_[0].headers["X-Warpsight-Delivery"], MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(posts_[1].headers["X-Warpsight-Delivery"], posts_[0].headers["X-Warpsight-Delivery"]);
  EXPECT_NE(posts_[2].headers["X-Warpsight-Delivery"], posts_[0].headers["X-Warpsight-Delivery"]);
  EXPECT_THAT(posts_[0].headers, Not(Contains(Key("X-Warpsight-Signature"))));
  EXPECT_EQ(sink_->peer(), "https://host/hook");
}

TEST_F(WebhookTest, RequestsAreSignedWhenTheyAreSent) {
  ASSERT_TRUE(options_.set("signing.secret", "it is a secret"));
  make_sink();
  sink_->deliver({0, 1, R"({"a":1})"});
  clock_.advance(std::chrono::hours{1});
  sink_->deliver({0, 1, R"({"a":1})"});
  EXPECT_THAT(posts_[0].headers,
              Contains(Pair("X-Warpsight-Signature",
                            webhook_signature("it is a secret", 1700000000, R"({"a":1})"))));
  EXPECT_THAT(posts_[0].headers, Contains(Pair("X-Warpsight-Timestamp", "1700000000")));
  EXPECT_THAT(posts_[1].headers, Contains(Pair("X-Warpsight-Timestamp", "1700003600")));
  EXPECT_NE(posts_[1].headers["X-Warpsight-Signature"], posts_[0].headers["X-Warpsight-Signature"]);
}

TEST_F(WebhookTest, WhatIsSignedIsWhatIsSent) {
  ASSERT_TRUE(options_.set("signing.secret", "s"));
  ASSERT_TRUE(options_.set("compression", "gzip"));
  make_sink();
  sink_->deliver({0, 1, R"({"a":1})"});
  EXPECT_EQ(posts_[0].headers["Content-Encoding"], "gzip");
  EXPECT_EQ(decompress(Compression::gzip, posts_[0].body, 1000).value(), R"({"a":1})");
  EXPECT_EQ(posts_[0].headers["X-Warpsight-Signature"],
            webhook_signature("s", 1700000000, posts_[0].body));
}

TEST_F(WebhookTest, AnswersDecideWhetherToTryAgain) {
  const Message message{0, 1, "{}"};
  for (const auto& [status, outcome] :
       std::map<int, Delivery::Outcome>{{500, Delivery::Outcome::retry},
                                        {429, Delivery::Outcome::retry},
                                        {400, Delivery::Outcome::refused},
                                        {401, Delivery::Outcome::unauthorized}}) {
    make_sink(status);
    EXPECT_EQ(sink_->deliver(message).outcome, outcome) << status;
  }
}

TEST_F(WebhookTest, ASteadyTickTakesNoMemory) {
  make_sink();
  const auto tick = [&] {
    batch_.add(Metric::gpu_power_draw, gpu_, 70.5);
    clock_.advance(std::chrono::seconds{1});
    publish();
    begin();
    outbox_.clear();
    const uint64_t before = test::allocations();
    registry_.read([&](const Snapshot& snapshot) { sink_->encode(snapshot, outbox_); });
    return test::allocations() - before;
  };
  EXPECT_GT(tick(), 0U);
  EXPECT_EQ(tick(), 0U);
}

}  // namespace
}  // namespace warpsight
