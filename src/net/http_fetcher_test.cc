#include "net/http_fetcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

#include "net/scripted_server_test.h"
#include "platform/test_dir.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;
using test::ScriptedServer;
using test::ServerConnection;
using test::ServerTls;
using test::TestAuthority;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::unique_ptr<HttpFetcher> make_fetcher(HttpClientSettings settings = {}) {
  auto fetcher = HttpFetcher::make(std::move(settings));
  EXPECT_TRUE(fetcher);
  return std::move(*fetcher);
}

// Long enough for any machine: a test that waits this long has failed.
SteadyTime patience() { return SystemClock().steady() + std::chrono::seconds{20}; }

Fetched next_of(HttpFetcher& fetcher) {
  auto fetched = fetcher.next(patience());
  if (!fetched) return {.tag = ~uint64_t{0}, .reply = fail(Kind::timeout, "there is no outcome")};
  return std::move(*fetched);
}

std::string ok(std::string_view body, std::string_view headers = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(headers) + "\r\n" + std::string(body);
}

// Answers every request of a connection so.
ScriptedServer::Script says(std::string answer) {
  return [answer = std::move(answer)](ServerConnection& connection) {
    while (!connection.read_request().empty()) connection.send(answer);
  };
}

void trickle(ServerConnection& connection) {
  connection.read_request();
  connection.send("HTTP/1.1 200 OK\r\n\r\n");
  while (!connection.client_closes_within_ms(5) && connection.send("x")) {
  }
}

void never_ends(ServerConnection& connection) {
  connection.read_request();
  connection.send("HTTP/1.1 200 OK\r\n\r\n");
  while (connection.send(std::string(65536, 'x'))) {
  }
}

TEST(HttpFetcher, AsksManyAtOnceAndKeepsTheirConnections) {
  std::map<uint64_t, std::unique_ptr<ScriptedServer>> servers;
  for (uint64_t tag = 100; tag < 120; ++tag) {
    servers[tag] = std::make_unique<ScriptedServer>(says(ok("page " + std::to_string(tag))));
  }
  const auto fetcher = make_fetcher();
  for (int round = 0; round < 2; ++round) {
    for (const auto& [tag, server] : servers) fetcher->begin(tag, server->url("/metrics"), {});
    EXPECT_EQ(fetcher->under_way(), servers.size());
    std::map<uint64_t, std::string> pages;
    while (fetcher->under_way() > 0) {
      const Fetched fetched = next_of(*fetcher);
      ASSERT_TRUE(fetched.reply) << fetched.reply.error().message;
      EXPECT_EQ(fetched.reply->status, 200);
      EXPECT_GT(fetched.took, Duration::zero());
      pages[fetched.tag] = fetched.reply->body;
    }
    ASSERT_EQ(pages.size(), servers.size());
    for (const auto& [tag, page] : pages) EXPECT_EQ(page, "page " + std::to_string(tag));
  }
  for (const auto& [tag, server] : servers) EXPECT_EQ(server->connections(), 1);
  EXPECT_FALSE(fetcher->next(patience()));
}

TEST(HttpFetcher, ChangedHeadersAreSent) {
  std::vector<std::string> requests;
  const ScriptedServer server([&](ServerConnection& connection) {
    for (;;) {
      std::string request = connection.read_request();
      if (request.empty()) return;
      requests.push_back(std::move(request));
      connection.send(ok("page"));
    }
  });
  const auto fetcher = make_fetcher();
  for (const char* token : {"first", "first", "second"}) {
    fetcher->begin(1, server.url("/metrics"), {{"X-Token", token}});
    ASSERT_TRUE(next_of(*fetcher).reply);
  }
  EXPECT_THAT(requests.at(0), StartsWith("GET /metrics HTTP/1.1\r\n"));
  EXPECT_THAT(requests.at(1), HasSubstr("\r\nX-Token: first\r\n"));
  EXPECT_THAT(requests.at(2), HasSubstr("\r\nX-Token: second\r\n"));
  EXPECT_THAT(requests.at(2), Not(HasSubstr("first")));
}

TEST(HttpFetcher, PassesAnyProxyByWhenToldTo) {
  ScriptedServer server(says(ok("page")));
  const auto fetcher = make_fetcher({.proxy = "http://" + to_string(test::unused_address())});
  fetcher->begin(1, server.url("/metrics"), {});
  EXPECT_FALSE(next_of(*fetcher).reply) << "nobody is where the proxy should be";
  fetcher->begin(2, server.url("/metrics"), {}, {}, /*direct=*/true);
  const Fetched direct = next_of(*fetcher);
  ASSERT_TRUE(direct.reply) << direct.reply.error().message;
  EXPECT_EQ(direct.reply->body, "page");
  fetcher->begin(3, server.url("/metrics"), {});
  EXPECT_FALSE(next_of(*fetcher).reply) << "only that one request passed it by";
}

TEST(HttpFetcher, OneUrlCanBeAskedTwiceAtATime) {
  const ScriptedServer server(says(ok("page")));
  const auto fetcher = make_fetcher();
  fetcher->begin(1, server.url(), {});
  fetcher->begin(2, server.url(), {});
  std::vector<uint64_t> tags;
  for (int i = 0; i < 2; ++i) {
    const Fetched fetched = next_of(*fetcher);
    EXPECT_TRUE(fetched.reply);
    tags.push_back(fetched.tag);
  }
  EXPECT_THAT(tags, testing::UnorderedElementsAre(1, 2));
}

TEST(HttpFetcher, UnpacksIntoTheMemoryLent) {
  const std::string page(3000, 'x');
  Compressor gzip(Compression::gzip);
  const ScriptedServer server(says(ok(gzip.encode(page).value(), "Content-Encoding: gzip\r\n")));
  const auto fetcher = make_fetcher();
  std::string memory(10000, 'y');
  const char* const place = memory.data();
  fetcher->begin(1, server.url(), {}, std::move(memory));
  const Fetched fetched = next_of(*fetcher);
  ASSERT_TRUE(fetched.reply) << fetched.reply.error().message;
  EXPECT_EQ(fetched.reply->body, page);
  EXPECT_EQ(fetched.reply->body.data(), place);
}

TEST(HttpFetcher, CutsOffWhatIsTooLarge) {
  Compressor gzip(Compression::gzip);
  const ScriptedServer bomb(says(
      ok(gzip.encode(std::string(size_t{64} << 20, '\0')).value(), "Content-Encoding: gzip\r\n")));
  const ScriptedServer endless(never_ends);
  const auto fetcher = make_fetcher({.response_limit = 4096});
  for (const ScriptedServer* server : {&bomb, &endless}) {
    fetcher->begin(1, server->url(), {});
    const Fetched fetched = next_of(*fetcher);
    ASSERT_FALSE(fetched.reply);
    EXPECT_EQ(fetched.reply.error().kind, Kind::too_large) << fetched.reply.error().message;
  }
}

TEST(HttpFetcher, ASlowPeerDelaysNobody) {
  std::promise<void> released;
  const ScriptedServer slow([&](ServerConnection& connection) {
    connection.read_request();
    released.get_future().wait();
    connection.send(ok("slow"));
  });
  const ScriptedServer fast(says(ok("fast")));
  const auto fetcher = make_fetcher();
  fetcher->begin(1, slow.url(), {});
  for (uint64_t tag = 2; tag < 5; ++tag) {
    fetcher->begin(tag, fast.url(), {});
    EXPECT_EQ(next_of(*fetcher).tag, tag);
  }
  EXPECT_FALSE(fetcher->next(SystemClock().steady()));
  EXPECT_EQ(fetcher->under_way(), 1);
  released.set_value();
  const Fetched last = next_of(*fetcher);
  EXPECT_EQ(last.tag, 1);
  EXPECT_EQ(last.reply.value().body, "slow");
}

TEST(HttpFetcher, OneThatTricklesRunsOutOfTime) {
  const ScriptedServer server(trickle);
  const auto fetcher = make_fetcher({.timeout = std::chrono::milliseconds{150}});
  fetcher->begin(1, server.url(), {});
  const Fetched fetched = next_of(*fetcher);
  EXPECT_EQ(fetched.tag, 1);
  ASSERT_FALSE(fetched.reply);
  EXPECT_EQ(fetched.reply.error().kind, Kind::timeout) << fetched.reply.error().message;
}

TEST(HttpFetcher, RedirectsAreAnswers) {
  const ScriptedServer server(
      says("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"));
  const auto fetcher = make_fetcher();
  fetcher->begin(1, server.url(), {});
  const Fetched fetched = next_of(*fetcher);
  ASSERT_TRUE(fetched.reply) << fetched.reply.error().message;
  EXPECT_EQ(fetched.reply->status, 302);
  EXPECT_EQ(fetched.reply->header("location"), "http://127.0.0.1:1/");
}

TEST(HttpFetcher, ErrorsOfARequestAreItsOutcome) {
  const auto fetcher = make_fetcher();
  fetcher->begin(1, "ftp://user:hush@host/", {});
  fetcher->begin(2, "http://127.0.0.1:1/", {{"x", "a\r\nhost: hush"}});
  fetcher->begin(3, "http://" + to_string(test::unused_address()), {});
  std::map<uint64_t, TransportFailure> failures;
  while (fetcher->under_way() > 0) {
    Fetched fetched = next_of(*fetcher);
    ASSERT_FALSE(fetched.reply);
    EXPECT_THAT(fetched.reply.error().message, Not(HasSubstr("hush")));
    failures.emplace(fetched.tag, std::move(fetched.reply.error()));
  }
  EXPECT_EQ(failures.at(1).kind, Kind::setup);
  EXPECT_EQ(failures.at(2).kind, Kind::setup);
  EXPECT_EQ(failures.at(3).kind, Kind::connect);
}

TEST(HttpFetcher, PeersThatCloseAreConnectedToAnew) {
  const ScriptedServer server([](ServerConnection& connection) {
    connection.read_request();
    connection.send(ok("page"));
  });
  const auto fetcher = make_fetcher();
  for (int round = 0; round < 3; ++round) {
    fetcher->begin(1, server.url(), {});
    const Fetched fetched = next_of(*fetcher);
    ASSERT_TRUE(fetched.reply) << fetched.reply.error().message;
  }
  EXPECT_EQ(server.connections(), 3);
}

TEST(HttpFetcher, CancelledRequestsHaveNoOutcome) {
  std::promise<void> asked;
  std::promise<void> closed;
  const ScriptedServer silent([&](ServerConnection& connection) {
    connection.read_request();
    asked.set_value();
    connection.wait_until_client_closes();
    closed.set_value();
  });
  const ScriptedServer other(says(ok("page")));
  const auto fetcher = make_fetcher({.timeout = std::chrono::hours{1}});
  fetcher->begin(1, silent.url(), {});
  auto request = asked.get_future();
  while (request.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
    fetcher->next(SystemClock().steady() + std::chrono::milliseconds{1});
  }
  fetcher->begin(2, "no URL", {});
  fetcher->begin(3, other.url(), {});
  fetcher->cancel(1);
  fetcher->cancel(2);
  fetcher->cancel(77);
  closed.get_future().wait();
  EXPECT_EQ(fetcher->under_way(), 1);
  EXPECT_EQ(next_of(*fetcher).tag, 3);
  EXPECT_EQ(fetcher->under_way(), 0);
  EXPECT_FALSE(fetcher->next(patience()));
}

TEST(HttpFetcher, InterruptEndsTheWaitAndAllLaterOnes) {
  std::promise<void> asked;
  const ScriptedServer silent([&](ServerConnection& connection) {
    connection.read_request();
    asked.set_value();
    connection.wait_until_client_closes();
  });
  const auto fetcher = make_fetcher({.timeout = std::chrono::hours{1}});
  fetcher->begin(1, silent.url(), {});
  auto fetched = std::async(std::launch::async, [&] { return fetcher->next(SteadyTime::max()); });
  asked.get_future().wait();
  fetcher->interrupt();
  EXPECT_FALSE(fetched.get());
  fetcher->begin(2, "no URL", {});
  EXPECT_FALSE(fetcher->next(SteadyTime::max()));
  EXPECT_EQ(fetcher->under_way(), 2);
}

TEST(HttpFetcher, TrustsTheGivenAuthorityAndKeepsTheConnection) {
  TestAuthority authority;
  const ScriptedServer server(says(ok("page")),
                              std::make_unique<ServerTls>(authority.issue("IP:127.0.0.1"), false));
  const auto trusting = make_fetcher({.tls = {.ca = authority.file()}});
  for (int round = 0; round < 2; ++round) {
    trusting->begin(1, server.url(), {});
    const Fetched fetched = next_of(*trusting);
    ASSERT_TRUE(fetched.reply) << fetched.reply.error().message;
    EXPECT_EQ(fetched.reply->body, "page");
  }
  EXPECT_EQ(server.connections(), 1);
  const auto other = make_fetcher();
  other->begin(1, server.url(), {});
  const Fetched refused = next_of(*other);
  ASSERT_FALSE(refused.reply);
  EXPECT_EQ(refused.reply.error().kind, Kind::tls);
}

class UnixSocketUrl : public testing::Test {
 protected:
  TestDir dir_;
  std::string request_;
  std::string path_ = dir_.path() + "/engine.sock";
  std::string url_ = "unix:" + path_ + ":/metrics?of=http://all";
  ScriptedServer server_{path_, [this](ServerConnection& connection) {
                           for (;;) {
                             const std::string request = connection.read_request();
                             if (request.empty()) return;
                             request_ = request;
                             connection.send(ok("page"));
                           }
                         }};
};

TEST_F(UnixSocketUrl, IsAskedOverOneConnection) {
  const auto fetcher = make_fetcher();
  for (int round = 0; round < 2; ++round) {
    fetcher->begin(1, url_, {});
    const Fetched fetched = next_of(*fetcher);
    ASSERT_TRUE(fetched.reply) << fetched.reply.error().message;
    EXPECT_EQ(fetched.reply->body, "page");
  }
  EXPECT_EQ(server_.connections(), 1);
  EXPECT_THAT(request_, StartsWith("GET /metrics?of=http://all HTTP/1.1\r\nHost: localhost\r\n"));
}

TEST_F(UnixSocketUrl, NeedsNoProxy) {
  const std::string proxy = "http://" + to_string(test::unused_address());
  ::setenv("http_proxy", proxy.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  for (const std::string& configured : {proxy, std::string()}) {
    const auto fetcher = make_fetcher({.proxy = configured});
    fetcher->begin(1, url_, {});
    const Fetched fetched = next_of(*fetcher);
    EXPECT_TRUE(fetched.reply) << fetched.reply.error().message;
    EXPECT_THAT(request_, StartsWith("GET /metrics"));
  }
  ::unsetenv("http_proxy");  // NOLINT(concurrency-mt-unsafe)
}

TEST_F(UnixSocketUrl, TakesPostsToo) {
  const auto client = HttpClient::make({}).value();
  const auto reply = client->post("unix:" + path_ + ":/v1/metrics", {}, "points");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_THAT(request_, StartsWith("POST /v1/metrics HTTP/1.1\r\n"));
}

TEST_F(UnixSocketUrl, WhereNobodyListensIsAConnectFailure) {
  const auto reply = HttpClient::make({}).value()->get("unix:" + path_ + "-not:/?key=hush", {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::connect);
  EXPECT_THAT(reply.error().message, HasSubstr("unix:" + path_ + "-not"));
  EXPECT_THAT(reply.error().message, Not(HasSubstr("hush")));
}

TEST_F(UnixSocketUrl, HasTwoPaths) {
  const auto client = HttpClient::make({}).value();
  for (const std::string& url :
       {std::string("unix:"), std::string("unix:/run/x.sock"), std::string("unix:/run/x.sock:"),
        std::string("unix:/run/x.sock:metrics"), std::string("unix:run/x.sock:/metrics"),
        std::string("unix::/metrics"), "unix:/" + std::string(200, 'x') + ":/metrics"}) {
    const auto reply = client->get(url, {});
    ASSERT_FALSE(reply) << url;
    EXPECT_EQ(reply.error().kind, Kind::setup) << url;
    EXPECT_THAT(reply.error().hint, HasSubstr("unix:/path/of.socket:/path/of/page"));
  }
}

}  // namespace
}  // namespace warpsight
