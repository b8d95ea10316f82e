#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/http_test_client.h"
#include "ui/http_test_server.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;

class HostileClientTest : public test::HttpServerTest {
 protected:
  HostileClientTest() {
    more_routes_.push_back(
        {.path = "/parameters", .handler = [](const HttpRequest& request, HttpResponse& response) {
           for (const auto& [name, value] : request.parameters()) {
             response.body += "[" + name + "|" + value + "]";
           }
         }});
  }

  // Of one request on a connection of its own; the server must answer the next.
  HttpReply ask(const std::string& request) {
    HttpReply reply;
    with_client([&] {
      reply = HttpClient(server_->address()).exchange(request);
      EXPECT_EQ(HttpClient(server_->address()).get("/small").body, "small");
    });
    return reply;
  }
  HttpReply get(const std::string& uri) {
    return ask("GET " + uri + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
};

TEST_F(HostileClientTest, ThereIsNoWayOutOfTheTable) {
  ASSERT_TRUE(start());
  for (const char* path :
       {"/../etc/passwd", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd", "/small/../../etc/passwd", "//etc/passwd", "/small%00.html",
        "/%c0%ae%c0%ae/etc/passwd", "/\\..\\etc\\passwd", "/small/", "/SMALL", "/%73mall"}) {
    const HttpReply reply = get(path);
    EXPECT_THAT(reply.status, AnyOf(Eq(404), Eq(400))) << path;
    EXPECT_EQ(reply.body.find("root:"), std::string::npos) << path;
  }
}

TEST_F(HostileClientTest, OverlongUrisAndManyHeadersAreRefused) {
  ASSERT_TRUE(start());
  EXPECT_THAT(get("/" + std::string(20'000, 'a')).status, AnyOf(Eq(400), Eq(414)));
  EXPECT_THAT(get("/parameters?" + std::string(1'000'000, 'a')).status, AnyOf(Eq(0), Eq(400)));
  std::string headers;
  for (int i = 0; i < 5'000; ++i) headers += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_THAT(ask("GET /small HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n").status,
              AnyOf(Eq(0), Eq(400)));
}

TEST_F(HostileClientTest, ParametersAreDecodedOrRefused) {
  ASSERT_TRUE(start());
  EXPECT_EQ(get("/parameters?metric=a.b&match=x%3Dy+z&metric").body,
            "[metric|a.b][match|x=y z][metric|]");
  EXPECT_EQ(get("/parameters").body, "");
  for (const char* query : {"a=%", "a=%4", "a=%zz", "%00=1", "a=%ff%fe", "a=%1b"}) {
    const HttpReply reply = get(std::string("/parameters?") + query);
    EXPECT_EQ(reply.status, 400) << query;
    EXPECT_TRUE(reply.has("Content-Type: application/json"));
    EXPECT_THAT(reply.body, HasSubstr("{\"error\":\"the query")) << query;
  }
  std::string many = "/parameters?";
  for (int i = 0; i < 65; ++i) many += "a=1&";
  EXPECT_THAT(get(many).body, HasSubstr("more than 64 parameters"));
  EXPECT_THAT(get("/parameters?a=" + std::string(9'000, 'b')).body, HasSubstr("longer than"));
}

TEST_F(HostileClientTest, StrangeRequestLinesHarmNobody) {
  ASSERT_TRUE(start());
  for (const char* line :
       {"OPTIONS *", "CONNECT evil.example:443", "GET http://evil.example/small", "TRACE /small",
        "GET ?a=1", "GET #", "GET \xff\xfe", "BREW /small", "GET /small?%", "GET http://[::1"}) {
    const HttpReply reply = ask(std::string(line) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(reply.body, large_) << line;
  }
  ask("GET /small HTTP/9.9\r\n\r\n");
  ask("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n");
  ask("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n");
  ask("POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n");
}

}  // namespace
}  // namespace warpsight
