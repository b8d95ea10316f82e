#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/http_test_client.h"
#include "ui/http_test_server.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kJson = "Content-Type: application/json\r\n";

class HttpMethodsTest : public test::HttpServerTest {
 protected:
  HttpMethodsTest() {
    more_routes_.push_back({.path = "/things",
                            .handler =
                                [](const HttpRequest& request, HttpResponse& response) {
                                  response.status = request.method() == "POST" ? 201 : 204;
                                  response.body = request.body() + request.body();
                                },
                            .methods = "POST DELETE"});
    more_routes_.push_back(
        {.path = "/both",
         .handler = [](const HttpRequest& request,
                       HttpResponse& response) { response.body = request.method(); },
         .methods = "GET POST"});
  }

  HttpReply ask(HttpClient& client, std::string_view what, std::string_view headers,
                std::string_view body = {}) {
    std::string request(what);
    request += " HTTP/1.1\r\nHost: localhost:9465\r\n";
    request.append(headers);
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    return client.exchange(request.append(body));
  }

  // The status of a POST with these headers.
  int post(std::string_view headers) {
    int status = 0;
    with_client([&] {
      HttpClient client(server_->address());
      status = ask(client, "POST /things", std::string(kJson).append(headers), "{}").status;
    });
    return status;
  }
};

TEST_F(HttpMethodsTest, ARouteTakesTheMethodsItNames) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply made = ask(client, "POST /things", kJson, "{\"a\":1}");
    EXPECT_TRUE(made.has("HTTP/1.1 201 Created\r\n")) << made.head;
    EXPECT_EQ(made.body, "{\"a\":1}{\"a\":1}");
    const HttpReply gone = ask(client, "DELETE /things?id=1", "");
    EXPECT_TRUE(gone.has("HTTP/1.1 204 No Content\r\n")) << gone.head;
    EXPECT_FALSE(gone.has("Content-Length")) << gone.head;
    const HttpReply get = client.get("/things");
    EXPECT_EQ(get.status, 405);
    EXPECT_TRUE(get.has("Allow: POST, DELETE\r\n")) << get.head;
    EXPECT_EQ(client.exchange("HEAD /things HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 405);
    EXPECT_EQ(client.get("/both").body, "GET");
    EXPECT_EQ(ask(client, "POST /both", kJson).body, "POST");
    const HttpReply put = ask(client, "PUT /both", kJson);
    EXPECT_EQ(put.status, 405);
    EXPECT_TRUE(put.has("Allow: GET, HEAD, POST\r\n")) << put.head;
    EXPECT_EQ(ask(client, "OPTIONS /both", "Origin: http://localhost:9465\r\n").status, 405);
  });
}

TEST_F(HttpMethodsTest, OnlyJsonIsPosted) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    for (const char* type :
         {"", "Content-Type: text/plain\r\n", "Content-Type: application/jsonp\r\n",
          "Content-Type: application/x-www-form-urlencoded\r\n"}) {
      const HttpReply reply = ask(client, "POST /things", type, "{}");
      EXPECT_EQ(reply.status, 415) << type;
      EXPECT_THAT(reply.body, HasSubstr("application/json"));
    }
    EXPECT_EQ(
        ask(client, "POST /things", "Content-Type: Application/JSON; charset=utf-8\r\n").status,
        201);
  });
}

TEST_F(HttpMethodsTest, OtherSitesPagesChangeNothing) {
  ASSERT_TRUE(start());
  EXPECT_EQ(post(""), 201) << "a program";
  EXPECT_EQ(post("Origin: http://localhost:9465\r\nSec-Fetch-Site: same-origin\r\n"), 201);
  EXPECT_EQ(post("Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(post("Origin: http://localhost:8080\r\n"), 403) << "another server of this machine";
  EXPECT_EQ(post("Origin: null\r\n"), 403);
  EXPECT_EQ(post("Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(post("Sec-Fetch-Site: same-site\r\n"), 403);
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply reply = ask(client, "DELETE /things", "Origin: http://evil.example\r\n");
    EXPECT_EQ(reply.status, 403);
    EXPECT_THAT(reply.body, HasSubstr("not from other sites"));
    EXPECT_EQ(client.get("/small", "Origin: http://evil.example\r\n").status, 200)
        << "reading changes nothing, and the browser keeps the answer from that site";
  });
}

TEST_F(HttpMethodsTest, AnOversizedBodyIsRefused) {
  HttpLimits limits;
  limits.body_bytes = 100;
  ASSERT_TRUE(start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, limits));
  with_client([&] {
    HttpClient fits(server_->address());
    EXPECT_EQ(ask(fits, "POST /things", kJson, std::string(100, ' ')).status, 201);
    HttpClient large(server_->address());
    EXPECT_EQ(ask(large, "POST /things", kJson, std::string(101, ' ')).status, 413);
    HttpClient chunked(server_->address());
    const std::string chunk = "65\r\n" + std::string(0x65, ' ') + "\r\n0\r\n\r\n";
    EXPECT_EQ(chunked
                  .exchange("POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                            "application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
                            chunk)
                  .status,
              413);
  });
}

TEST_F(HttpMethodsTest, EveryReplyTellsTheBrowserToBeStrict) {
  ASSERT_TRUE(start());
  with_client([&] {
    HttpClient client(server_->address());
    for (const HttpReply& reply :
         {client.get("/small"), client.get("/nowhere"), ask(client, "PUT /small", "")}) {
      EXPECT_TRUE(reply.has(
          "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
          "connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'\r\n"))
          << reply.head;
      EXPECT_THAT(reply.head, Not(HasSubstr("unsafe")));
      EXPECT_TRUE(reply.has("Cross-Origin-Resource-Policy: same-origin\r\n"));
      EXPECT_TRUE(reply.has("Cross-Origin-Opener-Policy: same-origin\r\n"));
      EXPECT_TRUE(reply.has("Permissions-Policy: camera=()"));
      EXPECT_TRUE(reply.has("Cache-Control: no-store\r\n"));
      EXPECT_THAT(reply.head, Not(HasSubstr("Access-Control-Allow")));
    }
  });
}

}  // namespace
}  // namespace warpsight
