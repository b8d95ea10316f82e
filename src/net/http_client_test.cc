#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "net/scripted_server_test.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;
using test::ScriptedServer;
using test::ServerConnection;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

std::unique_ptr<HttpClient> make_client(HttpClientSettings settings = {}) {
  auto client = HttpClient::make(std::move(settings));
  EXPECT_TRUE(client);
  return std::move(*client);
}

// Answers every request and keeps what was asked.
struct Recorder {
  std::vector<std::string> requests;
  ScriptedServer server{[this](ServerConnection& connection) {
    for (;;) {
      std::string request = connection.read_request();
      if (request.empty()) return;
      requests.push_back(std::move(request));
      connection.send(kOk);
    }
  }};
};

TEST(HttpClient, SendsWhatItIsGivenAndKeepsTheConnection) {
  Recorder recorder;
  const auto client = make_client();
  const std::string body("\0binary\xff", 8);
  for (int i = 0; i < 3; ++i) {
    const auto reply =
        client->post(recorder.server.url("/v1/metrics"),
                     {{"Content-Type", "application/x-protobuf"}, {"x-empty", ""}}, body);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, "ok");
    EXPECT_EQ(reply->header("CONTENT-LENGTH"), "2");
    EXPECT_EQ(reply->header("absent"), "");
  }
  EXPECT_EQ(recorder.server.connections(), 1);
  const std::string& request = recorder.requests.at(0);
  EXPECT_THAT(request, testing::StartsWith("POST /v1/metrics HTTP/1.1\r\n"));
  EXPECT_THAT(request, testing::EndsWith("\r\n\r\n" + body));
  for (const char* line : {"\r\nContent-Type: application/x-protobuf\r\n", "\r\nx-empty:\r\n",
                           "\r\nContent-Length: 8\r\n", "\r\nUser-Agent: warpsight/",
                           "\r\nAccept-Encoding: gzip\r\n"}) {
    EXPECT_THAT(request, HasSubstr(line));
  }
  EXPECT_THAT(request, Not(HasSubstr("Expect")));
}

TEST(HttpClient, GetsAfterPosting) {
  Recorder recorder;
  const auto client = make_client();
  ASSERT_TRUE(client->post(recorder.server.url("/a"), {}, ""));
  ASSERT_TRUE(client->get(recorder.server.url("/b"), {}));
  EXPECT_THAT(recorder.requests.at(0), HasSubstr("Content-Length: 0"));
  EXPECT_THAT(recorder.requests.at(1), testing::StartsWith("GET /b HTTP/1.1\r\n"));
}

TEST(HttpClient, LargeBodiesArriveWithoutAskingFirst) {
  Recorder recorder;
  const auto client = make_client();
  const std::string body(size_t{3} << 20, 'x');
  ASSERT_TRUE(client->post(recorder.server.url(), {}, body));
  EXPECT_THAT(recorder.requests.at(0), testing::EndsWith(body));
}

TEST(HttpClient, LimitsTheBodyAfterDecompression) {
  Compressor gzip(Compression::gzip);
  for (const size_t size : {size_t{4096}, size_t{4097}}) {
    const std::string packed(gzip.encode(std::string(size, 'x')).value());
    const ScriptedServer server([&](ServerConnection& connection) {
      connection.read_request();
      connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                      std::to_string(packed.size()) + "\r\n\r\n" + packed);
    });
    const auto reply = make_client({.response_limit = 4096})->get(server.url(), {});
    if (size <= 4096) {
      EXPECT_EQ(reply.value().body.size(), size);
    } else {
      ASSERT_FALSE(reply);
      EXPECT_EQ(reply.error().kind, Kind::too_large);
    }
  }
}

TEST(HttpClient, SaysWhyItCannotConnect) {
  const auto client = make_client();
  const auto refused = client->get("http://" + to_string(test::unused_address()), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::connect);
  EXPECT_THAT(refused.error().hint, HasSubstr("is it running"));
  const auto unknown = client->get("http://no-such-host.invalid/", {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, Kind::resolve);
}

TEST(HttpClient, OnlyHttpUrlsWillDo) {
  const auto client = make_client();
  for (const char* url : {"file:///etc/passwd", "ftp://u:hush@host/", "", "http://", "host name"}) {
    const auto reply = client->get(url, {});
    ASSERT_FALSE(reply) << url;
    EXPECT_EQ(reply.error().kind, Kind::setup) << url << ": " << reply.error().message;
    EXPECT_THAT(reply.error().message, Not(HasSubstr("hush")));
  }
}

TEST(HttpClient, HeadersCannotSplitARequest) {
  const auto client = make_client();
  const auto reply = client->get("http://127.0.0.1:1/", {{"x", "a\r\nhost: hush"}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::setup);
  EXPECT_THAT(reply.error().message, Not(HasSubstr("hush")));
}

TEST(HttpClient, UrlCredentialsAreNotInMessages) {
  const std::string address = to_string(test::unused_address());
  const auto reply = make_client()->get("http://user:hush@" + address + "/?key=hush", {});
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr(address));
  EXPECT_THAT(reply.error().message + reply.error().hint, Not(HasSubstr("hush")));
}

TEST(HttpClient, InterruptEndsTheExchangeAndAllLaterOnes) {
  std::promise<void> asked;
  const ScriptedServer server([&](ServerConnection& connection) {
    connection.read_request();
    asked.set_value();
    connection.wait_until_client_closes();
  });
  const auto client = make_client({.timeout = std::chrono::hours{1}});
  auto reply = std::async(std::launch::async, [&] { return client->post(server.url(), {}, "x"); });
  asked.get_future().wait();
  client->interrupt();
  EXPECT_EQ(reply.get().error().kind, Kind::interrupted);
  EXPECT_EQ(client->get(server.url(), {}).error().kind, Kind::interrupted);
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace warpsight
