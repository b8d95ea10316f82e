#include "net/http_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "net/scripted_server_test.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using Kind = StreamNews::Kind;
using Failure = TransportFailure::Kind;
using test::ScriptedServer;
using test::ServerConnection;
using test::ServerTls;
using test::TestAuthority;
using testing::HasSubstr;

constexpr Duration kLong = std::chrono::seconds{20};
constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::unique_ptr<HttpStreams> make_streams(HttpClientSettings settings = {}) {
  return std::move(HttpStreams::make(std::move(settings)).value());
}

StreamNews next_of(HttpStreams& streams) {
  auto news = streams.next(SystemClock().steady() + kLong);
  if (!news) ADD_FAILURE() << "there is no news";
  return news ? std::move(*news) : StreamNews{};
}

// What comes until the end, which is told as "(ended)" or the failure.
std::string all_of(HttpStreams& streams) {
  std::string all;
  while (const auto news = streams.next(SystemClock().steady() + kLong)) {
    if (news->kind == Kind::status) all += "(" + std::to_string(news->status) + ")";
    if (news->kind == Kind::bytes) all += news->bytes;
    if (news->kind == Kind::ended) all += "(ended)";
    if (news->kind == Kind::failed) all += "(" + std::string(to_string(news->failure.kind)) + ")";
  }
  return all;
}

TEST(HttpStreams, TellsEachPieceWhenItComes) {
  std::promise<void> first_seen;
  std::promise<void> second_seen;
  const ScriptedServer server([&](ServerConnection& connection) {
    connection.read_request();
    connection.send(kHead);
    first_seen.get_future().wait();
    connection.send("5\r\nhello\r\n");
    second_seen.get_future().wait();
    connection.send("6\r\n world\r\n0\r\n\r\n");
  });
  const auto streams = make_streams();
  streams->begin(7, server.url(), {}, kLong);
  EXPECT_EQ(streams->under_way(), 1U);
  StreamNews news = next_of(*streams);
  EXPECT_EQ(news.kind, Kind::status);
  EXPECT_EQ(news.tag, 7U);
  EXPECT_EQ(news.status, 200);
  EXPECT_FALSE(streams->next(SystemClock().steady())) << "nothing else was sent yet";
  first_seen.set_value();
  EXPECT_EQ(next_of(*streams).bytes, "hello");
  second_seen.set_value();
  EXPECT_EQ(all_of(*streams), " world(ended)");
  EXPECT_EQ(streams->under_way(), 0U);
}

TEST(HttpStreams, SeveralGoOnSideBySide) {
  std::promise<void> other_ended;
  const ScriptedServer watched([&](ServerConnection& connection) {
    connection.read_request();
    connection.send(kHead);
    other_ended.get_future().wait();
    connection.send("1\r\nx\r\n");
    connection.wait_until_client_closes();
  });
  const ScriptedServer quick([](ServerConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno");
  });
  const auto streams = make_streams();
  streams->begin(1, watched.url(), {}, kLong);
  streams->begin(2, quick.url(), {}, kLong);
  StreamNews news = next_of(*streams);
  int status_of_quick = 0;
  while (news.kind != Kind::ended) {
    if (news.tag == 2 && news.kind == Kind::status) status_of_quick = news.status;
    news = next_of(*streams);
  }
  EXPECT_EQ(news.tag, 2U);
  EXPECT_EQ(status_of_quick, 404);
  other_ended.set_value();
  do news = next_of(*streams);
  while (news.kind == Kind::status);
  EXPECT_EQ(news.tag, 1U);
  EXPECT_EQ(news.bytes, "x");
  streams->cancel(1);
  EXPECT_FALSE(streams->next(SystemClock().steady() + kLong));
}

TEST(HttpStreams, UnpacksWhileItComes) {
  Compressor gzip(Compression::gzip);
  const std::string packed(gzip.encode("a whole text").value());
  const ScriptedServer server([&](ServerConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
    connection.send(packed);
  });
  const auto streams = make_streams();
  streams->begin(1, server.url(), {}, kLong);
  EXPECT_EQ(all_of(*streams), "(200)a whole text(ended)");
}

TEST(HttpStreams, GivesASilentAnswerUp) {
  std::promise<bool> closed;
  const ScriptedServer server([&](ServerConnection& connection) {
    connection.read_request();
    connection.send(kHead);
    connection.send("1\r\nx\r\n");
    connection.wait_until_client_closes();
    closed.set_value(true);
  });
  const auto streams = make_streams();
  streams->begin(1, server.url(), {}, std::chrono::milliseconds{150});
  EXPECT_EQ(all_of(*streams), "(200)x(timeout)");
  EXPECT_TRUE(closed.get_future().get()) << "the connection is not kept";
}

TEST(HttpStreams, GivesAServerThatNeverAnswersUp) {
  const ScriptedServer server(
      [](ServerConnection& connection) { connection.wait_until_client_closes(); });
  const auto streams = make_streams();
  streams->begin(1, server.url(), {}, std::chrono::milliseconds{100});
  const StreamNews news = next_of(*streams);
  ASSERT_EQ(news.kind, Kind::failed);
  EXPECT_EQ(news.failure.kind, Failure::timeout);
  EXPECT_THAT(news.failure.message, HasSubstr("100ms"));
}

TEST(HttpStreams, WhatIsCutOffIsAFailure) {
  const ScriptedServer server([](ServerConnection& connection) {
    connection.read_request();
    connection.send(kHead);
    connection.send("5\r\nhello\r\n");
  });
  const auto streams = make_streams();
  streams->begin(1, server.url(), {}, kLong);
  EXPECT_EQ(all_of(*streams), "(200)hello(reset)");
}

TEST(HttpStreams, WhatCannotBeAskedFailsAtOnce) {
  const auto streams = make_streams();
  streams->begin(1, "ftp://peer/x", {}, kLong);
  EXPECT_EQ(all_of(*streams), "(setup)");
  streams->begin(1, "http://" + to_string(test::unused_address()), {}, kLong);
  EXPECT_EQ(all_of(*streams), "(connect)");
}

TEST(HttpStreams, SendsItsHeadersOverTls) {
  TestAuthority authority;
  std::string request;
  const ScriptedServer server(
      [&](ServerConnection& connection) {
        request = connection.read_request();
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      },
      std::make_unique<ServerTls>(authority.issue("IP:127.0.0.1"), false));
  const auto trusting = make_streams({.tls = {.ca = authority.file()}});
  trusting->begin(1, server.url("/x"), {{"Authorization", "Bearer secret"}}, kLong);
  EXPECT_EQ(all_of(*trusting), "(200)ok(ended)");
  EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Bearer secret\r\n"));
  const auto wary = make_streams();
  wary->begin(1, server.url("/x"), {}, kLong);
  EXPECT_EQ(all_of(*wary), "(tls)");
}

TEST(HttpStreams, HoldsOnlySoMuch) {
  const ScriptedServer server([](ServerConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    connection.send(std::string(100000, 'x'));
    connection.wait_until_client_closes();
  });
  const auto streams = make_streams({.response_limit = 100});
  streams->begin(1, server.url(), {}, kLong);
  EXPECT_THAT(all_of(*streams), HasSubstr("(too_large)"));
}

}  // namespace
}  // namespace warpsight
