#include "ui/api/api_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/api/api_test_node.h"
#include "ui/api/json_document_test.h"
#include "ui/api/live_message.h"
#include "ui/http_test_client.h"
#include "ui/http_test_server.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using test::part;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class ApiRoutes : public test::HttpServerTest {
 protected:
  ApiRoutes() {
    node_.history_ = std::make_shared<test::FakeHistory>();
    node_.engine_ = std::make_unique<alerts::Engine>(node_.entities_, std::vector<alerts::Rule>{},
                                                     alerts::EngineSettings{}, node_.clock_);
    node_.add(Metric::gpu_utilization, node_.gpu("0", "GPU-a"), 0.5);
    node_.publish();
    more_routes_ = api_routes(node_);
  }

  HttpReply ask(std::string_view what, std::string_view body = {}) {
    std::string request(what);
    request += " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    HttpReply reply;
    with_client([&] { reply = HttpClient(server_->address()).exchange(request.append(body)); });
    return reply;
  }

  test::ApiNode node_;
};

TEST_F(ApiRoutes, EveryPathAnswersWithJson) {
  ASSERT_TRUE(start());
  for (const char* path : {"/api/v1/now", "/api/v1/latest",
                           "/api/v1/latest?metric=gpu.utilization&match=gpu.index%3D0",
                           "/api/v1/series?metric=gpu.utilization&from=-1h",
                           "/api/v1/events?name=gpu.*", "/api/v1/alerts"}) {
    const HttpReply reply = ask(std::string("GET ") + path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_TRUE(reply.has("Content-Type: application/json")) << path;
    EXPECT_NE(part(reply.body), "not JSON") << path;
  }
}

TEST_F(ApiRoutes, NonsenseIsAnsweredWithWhatToDo) {
  ASSERT_TRUE(start());
  for (const char* path :
       {"/api/v1/latest?metrics=x", "/api/v1/series", "/api/v1/events?limit=0"}) {
    const HttpReply reply = ask(std::string("GET ") + path);
    EXPECT_EQ(reply.status, 400) << path;
    EXPECT_TRUE(reply.has("Content-Type: application/json")) << path;
    EXPECT_GT(part(reply.body, "/hint").size(), 5U) << path;
  }
}

TEST_F(ApiRoutes, SilencesArePostedAndDeleted) {
  ASSERT_TRUE(start());
  const HttpReply made = ask("POST /api/v1/silences", R"({"match":["a=b"],"for":60})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(part(made.body, "/id"), "\"s1\"");
  EXPECT_EQ(ask("GET /api/v1/silences").status, 405);
  EXPECT_EQ(ask("POST /api/v1/now").status, 405);
  EXPECT_EQ(ask("DELETE /api/v1/silences?id=s1").status, 204);
  EXPECT_EQ(ask("DELETE /api/v1/silences?id=s1").status, 404);
}

TEST_F(ApiRoutes, TheStreamBeginsWithNowAndGoesOn) {
  ASSERT_TRUE(start());
  const std::string first = live_message(node_);
  with_client([&] {
    HttpClient client(server_->address());
    client.send("GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(client.read_to("\n\n"), HasSubstr(first));
    on_loop([&] { server_->broadcast("/api/v1/live", "event: now\ndata: 2\n\n"); });
    EXPECT_THAT(client.read_to("data: 2\n\n"), EndsWith("data: 2\n\n"));
  });
}

}  // namespace
}  // namespace warpsight
