#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <optional>

#include "platform/process_stats.h"
#include "platform/test_dir.h"
#include "ui/http_test_client.h"
#include "ui/http_test_server.h"
#include "ui/test_certificates.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kAskLive =
    "GET /live HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n";
const SocketAddress kAnyPort{SocketAddress::Kind::tcp, "127.0.0.1", 0, {}};

class HttpStreamsTest : public test::HttpServerTest {
 protected:
  HttpStreamsTest() {
    for (const char* path : {"/live", "/other"}) {
      more_routes_.push_back({.path = path,
                              .handler =
                                  [](const HttpRequest& request, HttpResponse& response) {
                                    if (request.query() == "refuse") response.status = 400;
                                    response.body = "data: hello\n\n";
                                  },
                              .stream = true});
    }
  }

  // Opens a stream and reads its beginning.
  std::string open(HttpClient& client, std::string_view request = kAskLive) {
    client.send(request);
    return client.read_to("data: hello\n\n");
  }
  size_t streams() {
    size_t count = 0;
    on_loop([&] { count = server_->streams("/live"); });
    return count;
  }
  void broadcast(std::string_view text) {
    on_loop([&] { server_->broadcast("/live", text); });
  }
};

TEST_F(HttpStreamsTest, BeginAtOnceAndGoOn) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient first(server_->address());
    HttpClient second(server_->address());
    HttpClient other(server_->address());
    const std::string head = open(first);
    EXPECT_THAT(head, HasSubstr("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
    EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked\r\n"));
    EXPECT_THAT(head, HasSubstr("Cache-Control: no-store\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("Content-Encoding")));
    EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
    open(second);
    open(other, "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(streams(), 2U);
    for (const char* text : {"data: one\n\n", ": still there\n\n"}) {
      broadcast(text);
      EXPECT_THAT(first.read_to(text), HasSubstr(text));
      EXPECT_THAT(second.read_to(text), HasSubstr(text));
    }
    on_loop([&] { server_->broadcast("/other", "data: last\n\n"); });
    EXPECT_THAT(other.read_to("last"), Not(HasSubstr("one")));
    on_loop([&] { EXPECT_TRUE(server_->idle()) << "streams hold nobody up"; });
  });
}

TEST_F(HttpStreamsTest, AnOldClientReadsUntilTheEnd) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    EXPECT_THAT(open(client, "GET /live HTTP/1.0\r\n\r\n"), Not(HasSubstr("chunked")));
    broadcast("data: one\n\n");
    EXPECT_EQ(client.read_to("one\n\n"), "data: one\n\n");
  });
}

TEST_F(HttpStreamsTest, WhatIsNoStreamIsAnOrdinaryReply) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    EXPECT_EQ(client.get("/live?refuse").status, 400);
    const HttpReply head = client.exchange("HEAD /live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(head.status, 200);
    EXPECT_TRUE(head.has("Content-Type: text/event-stream\r\n"));
    EXPECT_EQ(client.get("/small").body, "small");
    EXPECT_EQ(streams(), 0U);
  });
}

TEST_F(HttpStreamsTest, TooManyAreTurnedAwayAndOthersStillServed) {
  HttpLimits limits;
  limits.streams = 10;
  limits.connections = 4;
  ASSERT_TRUE(start(kAnyPort, limits));
  with_client([&] {
    std::list<HttpClient> clients;
    for (int i = 0; i < 3; ++i) open(clients.emplace_back(server_->address()));
    HttpClient late(server_->address());
    const HttpReply refused = late.get("/live");
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.has("Retry-After: 5\r\n"));
    EXPECT_EQ(late.get("/small").body, "small");
    clients.pop_front();
    while (streams() == 3) {
    }
    EXPECT_THAT(open(late), HasSubstr("200 OK"));
  });
}

TEST_F(HttpStreamsTest, AClientThatLeavesIsNoticed) {
  ASSERT_TRUE(start());
  const auto before = count_open_fds();
  with_client([&] {
    for (int i = 0; i < 20; ++i) {
      HttpClient client(server_->address());
      open(client);
      if (i % 2 == 0) broadcast("data: bye\n\n");
    }
  });
  EXPECT_TRUE(turn_until([&] { return server_->streams("/live") == 0; }));
  EXPECT_TRUE(turn_until([&] { return server_->connections() == 0; }));
  event_base_loop(base_, EVLOOP_NONBLOCK);
  EXPECT_EQ(count_open_fds(), before);
}

TEST_F(HttpStreamsTest, AClientThatNeverReadsIsCutOff) {
  HttpLimits limits;
  limits.stream_backlog = 100'000;
  ASSERT_TRUE(start(kAnyPort, limits));
  with_client([&] {
    HttpClient deaf(server_->address());
    HttpClient good(server_->address());
    open(deaf);
    open(good);
    const std::string text(50'000, 'x');
    int sent = 0;
    while (streams() == 2 && sent < 1'000) {
      broadcast(text + std::to_string(++sent) + "\n\n");
      EXPECT_NE(good.read_to("x" + std::to_string(sent) + "\n\n"), "");
    }
    EXPECT_EQ(streams(), 1U);
    EXPECT_THAT(deaf.read_to_end(), Not(HasSubstr("x" + std::to_string(sent) + "\n\n")));
    broadcast("data: on it goes\n\n");
    EXPECT_NE(good.read_to("on it goes"), "");
  });
}

TEST_F(HttpStreamsTest, OneLargeEventCutsNobodyOff) {
  HttpLimits limits;
  limits.stream_backlog = 1'000;
  ASSERT_TRUE(start(kAnyPort, limits));
  with_client([&] {
    HttpClient client(server_->address());
    open(client);
    broadcast(std::string(20'000'000, 'x') + "end\n\n");
    EXPECT_GT(client.read_to("end\n\n").size(), 20'000'000U);
    EXPECT_EQ(streams(), 1U);
  });
}

TEST_F(HttpStreamsTest, OutliveTheTimeoutOfRequests) {
  HttpLimits limits;
  limits.timeout = std::chrono::milliseconds{50};
  ASSERT_TRUE(start(kAnyPort, limits));
  with_client([&] {
    HttpClient client(server_->address());
    open(client);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(HttpClient(server_->address()).closed_by_peer()) << "the silent are put out";
    }
    broadcast("data: one\n\n");
    EXPECT_NE(client.read_to("one"), "");
  });
}

TEST_F(HttpStreamsTest, EndWhenTheServerStops) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient idle(server_->address());
    EXPECT_EQ(idle.get("/small").status, 200);
    HttpClient client(server_->address());
    open(client);
    on_loop([&] {
      server_->stop_listening();
      EXPECT_TRUE(server_->idle());
      server_->broadcast("/live", "data: nobody\n\n");
    });
    EXPECT_THAT(client.read_to_end(), Not(HasSubstr("nobody")));
    EXPECT_EQ(idle.get("/live").status, 503);
  });
}

TEST_F(HttpStreamsTest, AskAgainWhenTheSecurityChanges) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    open(client);
    on_loop([&] { server_->set_security({nullptr, Authorization({.bearer = "new"})}); });
    client.read_to_end();
    EXPECT_EQ(streams(), 0U);
    EXPECT_EQ(HttpClient(server_->address()).get("/live").status, 401);
    HttpClient knows(server_->address());
    EXPECT_NE(
        open(knows, "GET /live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer new\r\n\r\n"),
        "");
  });
}

TEST_F(HttpStreamsTest, GoOverTls) {
  const TestDir dir;
  const ManualClock clock;
  const test::TestCertificate authority("authority");
  const test::TestCertificate own("localhost", &authority);
  auto tls = ServerTls::load(
      {dir.write("server.pem", own.certificate_pem()), dir.write("server.key", own.key_pem()), ""},
      clock);
  ASSERT_TRUE(tls) << describe(tls.error());
  const test::ClientTls trust{dir.write("ca.pem", authority.certificate_pem())};
  HttpLimits limits;
  limits.stream_backlog = 100'000;
  ASSERT_TRUE(start(kAnyPort, limits, {std::move(*tls), {}}));
  with_client([&] {
    HttpClient deaf(server_->address(), trust);
    HttpClient good(server_->address(), trust);
    open(deaf);
    open(good);
    int sent = 0;
    while (streams() == 2 && sent < 1'000) {
      broadcast(std::string(50'000, 'x') + std::to_string(++sent) + "\n\n");
      EXPECT_NE(good.read_to("x" + std::to_string(sent) + "\n\n"), "");
    }
    EXPECT_EQ(streams(), 1U);
  });
}

TEST_F(HttpStreamsTest, TwoHundredClientsHearTheSame) {
  HttpLimits limits;
  limits.streams = 200;
  limits.connections = 300;
  ASSERT_TRUE(start(kAnyPort, limits));
  with_client([&] {
    std::list<HttpClient> clients;
    for (int i = 0; i < 200; ++i) open(clients.emplace_back(server_->address()));
    EXPECT_EQ(streams(), 200U);
    for (int i = 0; i < 5; ++i) {
      const std::string text = "data: " + std::to_string(i) + std::string(20'000, '.') + "\n\n";
      broadcast(text);
      for (HttpClient& client : clients) EXPECT_NE(client.read_to(text), "");
    }
    HttpClient ordinary(server_->address());
    EXPECT_EQ(ordinary.get("/live").status, 503);
    EXPECT_EQ(ordinary.get("/large").body, large_);
  });
  EXPECT_TRUE(turn_until([&] { return server_->streams("/live") == 0; }));
}

TEST_F(HttpStreamsTest, TheServerMayGoFirst) {
  ASSERT_TRUE(start());
  std::optional<HttpClient> client;
  with_client([&] {
    client.emplace(server_->address());
    open(*client);
  });
  server_.reset();
  event_base_loop(base_, EVLOOP_NONBLOCK);
  client->read_to_end();
}

}  // namespace
}  // namespace warpsight
