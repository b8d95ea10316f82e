#include "sinks/http_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinks/webhook/webhook_sink.h"

namespace warpsight {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class EchoClient final : public HttpClient {
 public:
  explicit EchoClient(HttpHeaders& seen) : seen_(seen) {}
  TransportResult<HttpReply> post(const std::string&, const HttpHeaders& headers,
                                  std::string_view body) override {
    seen_ = headers;
    return HttpReply{404, std::string(body), {}};
  }
  TransportResult<HttpReply> get(const std::string&, const HttpHeaders&) override {
    return HttpReply{};
  }
  void interrupt() override {}

 private:
  HttpHeaders& seen_;
};

class HttpPeerTest : public ::testing::Test {
 protected:
  HttpPeerTest() { EXPECT_TRUE(options_.set("url", "http://peer/x?key=k")); }
  HttpPeer peer() { return {options_, std::make_unique<EchoClient>(seen_)}; }

  Options options_ = Options::defaults(webhook_sink_options());
  HttpHeaders seen_;
};

TEST_F(HttpPeerTest, AnyAnswerIsAnAnswer) {
  const auto reply = peer().post({{"A", "1"}}, "body");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->body, "body");
  EXPECT_THAT(seen_, UnorderedElementsAre(Pair("A", "1")));
}

TEST_F(HttpPeerTest, ConfiguredHeadersTakeThePlaceOfOurs) {
  ASSERT_TRUE(options_.set("headers", "User-Agent=mine,X-Scope-OrgID=t"));
  ASSERT_TRUE(options_.set("auth.bearer", "secret"));
  ASSERT_TRUE(peer().post({{"User-Agent", "ours"}, {"Content-Type", "text"}}, ""));
  EXPECT_THAT(seen_, UnorderedElementsAre(Pair("user-agent", "mine"), Pair("x-scope-orgid", "t"),
                                          Pair("authorization", "Bearer secret"),
                                          Pair("Content-Type", "text")));
}

TEST_F(HttpPeerTest, WithoutItsCredentialsNothingIsSent) {
  ASSERT_TRUE(options_.set("auth.bearer_file", "/no/such/token"));
  const auto reply = peer().post({{"A", "1"}}, "body");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().outcome, Delivery::Outcome::unauthorized);
  EXPECT_NE(reply.error().words, "");
  EXPECT_TRUE(seen_.empty());
}

TEST_F(HttpPeerTest, ItsNameTellsNoKey) { EXPECT_EQ(peer().name(), "http://peer/x"); }

TEST(CheckHttpUrl, TakesWhatCanBePostedTo) {
  EXPECT_TRUE(check_http_url("http://host"));
  EXPECT_TRUE(check_http_url("https://[::1]:9090/api/v1/write?a=b@c"));
  for (const char* bad : {"host:80", "ftp://host", "http://", "http:///path", "http://u:p@host/"}) {
    EXPECT_FALSE(check_http_url(bad)) << bad;
  }
}

}  // namespace
}  // namespace warpsight
