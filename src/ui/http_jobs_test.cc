#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>

#include "platform/process_stats.h"
#include "ui/http_test_client.h"
#include "ui/http_test_server.h"
#include "wire/gzip.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using ::testing::HasSubstr;

constexpr std::string_view kAskSlow = "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";
const SocketAddress kAnyPort{SocketAddress::Kind::tcp, "127.0.0.1", 0, {}};

class HttpJobsTest : public test::HttpServerTest {
 protected:
  HttpJobsTest() {
    more_routes_.push_back(
        {.path = "/job", .prepare = [this](const HttpRequest& request, HttpResponse& response) {
           if (request.query() == "refuse") {
             response.status = 400;
             response.body = "no";
             return HttpJob{};
           }
           const std::string name(request.query());
           return HttpJob([this, name](HttpResponse& filled) {
             worker_ = std::this_thread::get_id();
             filled.status = name == "made" ? 201 : 200;
             filled.content_type = "application/json";
             filled.headers.emplace_back("X-Job", name);
             filled.body = name == "large" ? large_ : "done " + name;
           });
         }});
    more_routes_.push_back({.path = "/slow", .prepare = [this](const HttpRequest&, HttpResponse&) {
                              asked_.release();
                              return HttpJob([this](HttpResponse& filled) {
                                started_.release();
                                go_on_.acquire();
                                filled.body = "at last";
                              });
                            }});
  }
  ~HttpJobsTest() override { server_.reset(); }  // before what its jobs use

  std::thread::id worker_;
  std::counting_semaphore<> asked_{0};
  std::counting_semaphore<> started_{0};
  std::counting_semaphore<> go_on_{0};
};

TEST_F(HttpJobsTest, AnswerFromAThreadOfTheirOwn) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply reply = client.get("/job?made");
    EXPECT_EQ(reply.status, 201);
    EXPECT_EQ(reply.body, "done made");
    EXPECT_TRUE(reply.has("Content-Type: application/json\r\n"));
    EXPECT_TRUE(reply.has("X-Job: made\r\n"));
    EXPECT_TRUE(reply.has("Cache-Control: no-store\r\n"));
    EXPECT_EQ(client.get("/job?again").body, "done again") << "on the same connection";
    const HttpReply refused = client.get("/job?refuse");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.body, "no");
  });
  EXPECT_NE(worker_, std::this_thread::get_id());
  EXPECT_TRUE(server_->idle());
}

TEST_F(HttpJobsTest, LargeAnswersArePackedForWhoAccepts) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply packed = client.get("/job?large", "Accept-Encoding: gzip\r\n");
    EXPECT_TRUE(packed.has("Content-Encoding: gzip\r\n"));
    EXPECT_EQ(*gzip_decode(packed.body, 1'000'000), large_);
    EXPECT_EQ(client.get("/job?large").body, large_);
    const HttpReply head = client.exchange("HEAD /job?large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_TRUE(head.has("Content-Length: 100000\r\n")) << head.head;
    EXPECT_EQ(client.get("/job?x").body, "done x");
  });
}

TEST_F(HttpJobsTest, TheLoopGoesOnWhileOneRuns) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient slow(server_->address());
    slow.send(kAskSlow);
    started_.acquire();
    EXPECT_EQ(HttpClient(server_->address()).get("/small").body, "small");
    on_loop([&] { EXPECT_FALSE(server_->idle()); });
    EXPECT_TRUE(slow.nothing_yet());
    go_on_.release();
    EXPECT_EQ(slow.receive().body, "at last");
  });
  EXPECT_TRUE(server_->idle());
}

TEST_F(HttpJobsTest, TooManyAtOnceAreTurnedAway) {
  HttpLimits limits;
  limits.jobs = 2;
  ASSERT_TRUE(start(kAnyPort, limits));
  with_client([&] {
    HttpClient running(server_->address());
    running.send(kAskSlow);
    started_.acquire();
    HttpClient second(server_->address());
    HttpClient third(server_->address());
    second.send(kAskSlow);
    third.send(kAskSlow);
    HttpClient fourth(server_->address());
    for (int i = 0; i < 3; ++i) asked_.acquire();
    const HttpReply refused = fourth.get("/job?x");
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.has("Retry-After: 5\r\n")) << refused.head;
    go_on_.release(3);
    for (HttpClient* client : {&running, &second, &third}) {
      EXPECT_EQ(client->receive().body, "at last");
    }
    EXPECT_EQ(fourth.get("/job?now").body, "done now");
  });
}

TEST_F(HttpJobsTest, AClientMayGoMeanwhile) {
  ASSERT_TRUE(start());
  with_client([&] {
    {
      HttpClient hasty(server_->address());
      hasty.send(kAskSlow);
      started_.acquire();
    }
    go_on_.release();
    EXPECT_EQ(HttpClient(server_->address()).get("/job?next").body, "done next");
  });
  EXPECT_TRUE(turn_until([&] { return server_->connections() == 0; }));
  EXPECT_TRUE(server_->idle());
}

TEST_F(HttpJobsTest, TheServerMayGoMeanwhile) {
  ASSERT_TRUE(start());
  const auto before = count_open_fds();
  std::optional<HttpClient> first;
  std::optional<HttpClient> waiting;
  with_client([&] {
    first.emplace(server_->address());
    first->send(kAskSlow);
    started_.acquire();
    waiting.emplace(server_->address());
    waiting->send(kAskSlow);
    asked_.acquire();
    asked_.acquire();
  });
  std::thread later([&] { go_on_.release(2); });
  server_.reset();
  later.join();
  event_base_loop(base_, EVLOOP_NONBLOCK);
  EXPECT_EQ(first->read_to_end(), "");
  first.reset();
  waiting.reset();
  EXPECT_LT(count_open_fds(), before) << "the listening socket and everything else is closed";
}

TEST_F(HttpJobsTest, StoppingFinishesThem) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    client.send(kAskSlow);
    started_.acquire();
    on_loop([&] {
      server_->set_security({nullptr, Authorization({.bearer = "new"})});
      server_->stop_listening();
      EXPECT_FALSE(server_->idle());
    });
    go_on_.release();
    const HttpReply reply = client.receive();
    EXPECT_EQ(reply.body, "at last");
    EXPECT_TRUE(reply.has("Connection: close\r\n")) << reply.head;
  });
  EXPECT_TRUE(turn_until([&] { return server_->idle(); }));
}

TEST_F(HttpJobsTest, AClientNeedNotHurryForOurSlowness) {
  HttpLimits limits;
  limits.timeout = std::chrono::milliseconds{50};
  ASSERT_TRUE(start(kAnyPort, limits));
  with_client([&] {
    HttpClient client(server_->address());
    client.send(kAskSlow);
    started_.acquire();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(HttpClient(server_->address()).closed_by_peer()) << "the silent are put out";
    }
    go_on_.release();
    EXPECT_EQ(client.receive().body, "at last");
  });
}

}  // namespace
}  // namespace warpsight
