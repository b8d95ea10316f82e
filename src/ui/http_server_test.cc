#include "ui/http_server.h"

#include <event2/event.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>

#include "platform/process_stats.h"
#include "ui/http_test_client.h"
#include "ui/http_test_server.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using test::HttpServerTest;
using ::testing::HasSubstr;

std::string unzip(std::string_view packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(size_t{1} << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST_F(HttpServerTest, AnswersManyRequestsOnOneConnection) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    for (int i = 0; i < 3; ++i) {
      const HttpReply reply = client.get("/small");
      EXPECT_EQ(reply.status, 200);
      EXPECT_EQ(reply.body, "small");
      EXPECT_TRUE(reply.has("X-Content-Type-Options: nosniff")) << reply.head;
      EXPECT_TRUE(reply.has("Content-Security-Policy: default-src 'none'"));
    }
    EXPECT_EQ(client.get("/query?a=1&b=2").body, "a=1&b=2");
    EXPECT_EQ(client.get("/large").body, large_);
  });
}

TEST_F(HttpServerTest, HeadTellsTheLengthAndSendsNoBody) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply reply = client.exchange("HEAD /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(reply.status, 200);
    EXPECT_TRUE(reply.has("Content-Length: 100000")) << reply.head;
    EXPECT_EQ(client.get("/small").body, "small") << "the connection goes on";
  });
}

TEST_F(HttpServerTest, LargeBodiesAreZippedForWhoAccepts) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply packed = client.get("/large", "Accept-Encoding: gzip\r\n");
    EXPECT_TRUE(packed.has("Content-Encoding: gzip"));
    EXPECT_EQ(unzip(packed.body), large_);
    EXPECT_FALSE(client.get("/small", "Accept-Encoding: gzip\r\n").has("Content-Encoding"));
    EXPECT_FALSE(client.get("/large").has("Content-Encoding"));
  });
}

TEST_F(HttpServerTest, OtherMethodsAndPathsAreRefusedWithAnExplanation) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply post =
        client.exchange("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_EQ(post.status, 405);
    EXPECT_TRUE(post.has("Allow: GET, HEAD"));
    const HttpReply lost = client.get("/nowhere");
    EXPECT_EQ(lost.status, 404);
    EXPECT_THAT(lost.body, HasSubstr("/small\n"));
  });
}

TEST_F(HttpServerTest, ANameThatIsNotOursGetsNothingOnLoopback) {
  HttpLimits limits;
  limits.hosts = {"node1"};
  ASSERT_TRUE(start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, limits));
  with_client([&] {
    HttpClient client(server_->address());
    EXPECT_EQ(client.exchange("GET /small HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 421);
    EXPECT_EQ(client.exchange("GET /small HTTP/1.1\r\nHost: a b\r\n\r\n").status, 400);
    EXPECT_EQ(client.exchange("GET /small HTTP/1.1\r\nHost: node1:9465\r\n\r\n").status, 200);
    EXPECT_EQ(client.exchange("GET /small HTTP/1.0\r\n\r\n").status, 200);
  });
}

TEST_F(HttpServerTest, OversizedHeadersAndBodiesEndTheConnection) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient headers(server_->address());
    const HttpReply reply =
        headers.get("/small", "X-Much: " + std::string(size_t{64} * 1024, 'a') + "\r\n");
    EXPECT_NE(reply.status, 200);
    HttpClient body(server_->address());
    EXPECT_EQ(body.exchange("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                            "100000000\r\n\r\n")
                  .status,
              413);
  });
}

TEST_F(HttpServerTest, GarbageDoesNotDisturbOthers) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient garbage(server_->address());
    garbage.send(std::string_view("\0\xff\r\n\r\n\r\nGET", 11));
    HttpClient half(server_->address());
    half.send("GET /small HT");
    HttpClient good(server_->address());
    EXPECT_EQ(good.get("/small").status, 200);
  });
}

TEST_F(HttpServerTest, ASilentClientIsPutOut) {
  HttpLimits limits;
  limits.timeout = std::chrono::milliseconds{50};
  ASSERT_TRUE(start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, limits));
  with_client([&] {
    HttpClient silent(server_->address());
    EXPECT_TRUE(silent.closed_by_peer());
    HttpClient idle(server_->address());
    EXPECT_EQ(idle.get("/small").status, 200);
    EXPECT_TRUE(idle.closed_by_peer());
  });
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(HttpServerTest, BeyondTheCapClientsWaitTheirTurn) {
  HttpLimits limits;
  limits.connections = 2;
  ASSERT_TRUE(start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, limits));
  with_client([&] {
    auto first = std::make_unique<HttpClient>(server_->address());
    HttpClient second(server_->address());
    EXPECT_EQ(first->get("/small").status, 200);
    EXPECT_EQ(second.get("/small").status, 200);
    HttpClient third(server_->address());
    third.send("GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(second.get("/small").status, 200);
    EXPECT_TRUE(third.nothing_yet());
    first.reset();
    EXPECT_EQ(third.receive().status, 200);
  });
}

TEST_F(HttpServerTest, ClosedConnectionsLeaveNoDescriptors) {
  ASSERT_TRUE(start());
  const auto before = count_open_fds();
  with_client([&] {
    for (int i = 0; i < 20; ++i) {
      HttpClient client(server_->address());
      if (i % 2 == 0) {
        EXPECT_EQ(client.get("/small").status, 200);
      } else {
        client.send("GET /sma");
      }
    }
  });
  // The loop learns of the last close after the client did.
  while (server_->connections() > 0) event_base_loop(base_, EVLOOP_ONCE);
  event_base_loop(base_, EVLOOP_NONBLOCK);
  EXPECT_EQ(count_open_fds(), before);
}

TEST_F(HttpServerTest, ADribblingClientIsPutOutToo) {
  HttpLimits limits;
  limits.timeout = std::chrono::milliseconds{200};
  ASSERT_TRUE(start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, limits));
  with_client([&] {
    HttpClient slow(server_->address());
    slow.send("GET /small HTTP/1.1\r\nX: ");
    for (int i = 0; i < 10'000 && slow.nothing_yet(); ++i) {
      slow.send("x");
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    EXPECT_FALSE(slow.nothing_yet()) << "still open after ten seconds";
  });
}

// Were an ended connection's number free while its events are still in the loop, the next to get it
// would never be heard.
TEST_F(HttpServerTest, AnEndedConnectionIsNotMistakenForWhatComesAfterIt) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    client.exchange("GET /small HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(client.closed_by_peer());
  });
  int heard = 0;
  std::vector<Fd> ends;
  std::vector<std::unique_ptr<event, decltype(&event_free)>> events;
  const auto hear = [](evutil_socket_t, short, void* count) { ++*static_cast<int*>(count); };
  for (int i = 0; i < 4; ++i) {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    for (const int end : pair) {
      ends.emplace_back(end);
      events.emplace_back(event_new(base_, end, EV_READ, hear, &heard), event_free);
      event_add(events.back().get(), nullptr);
      ASSERT_EQ(::write(end, "x", 1), 1);
    }
  }
  event_base_loop(base_, EVLOOP_NONBLOCK);
  EXPECT_EQ(heard, 8);
}

TEST_F(HttpServerTest, ATakenPortSaysWhatToDo) {
  ASSERT_TRUE(start());
  const auto second = HttpServer::start(base_, server_->address(), {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("the port is taken"));
  EXPECT_THAT(second.error().hint, HasSubstr("--listen"));
  const auto foreign =
      HttpServer::start(base_, {SocketAddress::Kind::tcp, "203.0.113.7", 9465, {}}, {});
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr("no such address"));
}

TEST_F(HttpServerTest, ListensOnEveryInterfaceAndOnUnixSockets) {
  ASSERT_TRUE(start({SocketAddress::Kind::tcp, "", 0, {}}));
  with_client([&] { EXPECT_EQ(HttpClient(server_->address()).get("/small").status, 200); });

  const std::string path = "/tmp/warpsight-http-" + std::to_string(::getpid()) + ".sock";
  const SocketAddress local{SocketAddress::Kind::unix_path, "", 0, path};
  ASSERT_TRUE(start(local));
  with_client([&] { EXPECT_EQ(HttpClient(server_->address()).get("/small").body, "small"); });
  EXPECT_FALSE(HttpServer::start(base_, local, {})) << "somebody listens there";
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(HttpServerTest, StoppingFinishesWhatWasAskedAndTakesNoMore) {
  ASSERT_TRUE(start());
  const SocketAddress address = server_->address();
  with_client([&] {
    HttpClient client(address);
    EXPECT_EQ(client.get("/small").status, 200);
  });
  server_->stop_listening();
  EXPECT_TRUE(server_->idle());
  EXPECT_FALSE(HttpClient(address).connected());
}

}  // namespace
}  // namespace warpsight
