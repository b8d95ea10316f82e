#include "ui/page_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/http_test_client.h"
#include "ui/http_test_server.h"
#include "web/assets.h"
#include "wire/gzip.h"

namespace warpsight {
namespace {

using test::HttpClient;
using test::HttpReply;
using ::testing::HasSubstr;

class PageFilesTest : public test::HttpServerTest {
 protected:
  PageFilesTest() { more_routes_ = page_routes(); }

  void serve() {
    HttpSecurity security;
    security.authorization = Authorization({.bearer = "t0ken"});
    ASSERT_TRUE(start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, {}, std::move(security)));
  }
  static std::string tag_of(const HttpReply& reply) {
    const size_t at = reply.head.find("ETag: ") + 6;
    return reply.head.substr(at, reply.head.find('\r', at) - at);
  }
};

TEST_F(PageFilesTest, AreServedToEverybodyPackedOrNot) {
  serve();
  with_client([&] {
    HttpClient client(server_->address());
    EXPECT_EQ(client.get("/small").status, 401) << "what has data wants the token";
    for (const Asset& asset : page_assets()) {
      const HttpReply packed = client.get(asset.path, "Accept-Encoding: gzip, br\r\n");
      EXPECT_EQ(packed.status, 200) << asset.path;
      EXPECT_TRUE(packed.has("Content-Encoding: gzip\r\n"));
      EXPECT_EQ(packed.body, asset.gzip) << "packed once";
      EXPECT_TRUE(packed.has("Content-Type: " + std::string(asset.content_type) + "\r\n"));
      const HttpReply plain = client.get(asset.path);
      EXPECT_FALSE(plain.has("Content-Encoding"));
      EXPECT_EQ(plain.body, *gzip_decode(asset.gzip, size_t{8} << 20));
    }
    EXPECT_EQ(client.get("/index.html").body, client.get("/").body);
    EXPECT_THAT(client.get("/").body, HasSubstr("<script"));
  });
}

TEST_F(PageFilesTest, ABrowserThatHasTheFileIsToldSo) {
  serve();
  with_client([&] {
    HttpClient client(server_->address());
    const HttpReply first = client.get("/app.js");
    EXPECT_TRUE(first.has("Cache-Control: no-cache\r\n")) << first.head;
    EXPECT_FALSE(first.has("no-store"));
    const std::string tag = tag_of(first);
    const HttpReply again =
        client.get("/app.js", "Accept-Encoding: gzip\r\nIf-None-Match: \"x\", " + tag + "\r\n");
    EXPECT_TRUE(again.has("HTTP/1.1 304 Not Modified\r\n")) << again.head;
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(tag_of(again), tag);
    EXPECT_EQ(client.get("/app.js", "If-None-Match: \"x\"\r\n").status, 200);
    EXPECT_EQ(client.get("/app.css", "If-None-Match: " + tag + "\r\n").status, 200);
  });
}

TEST(PageTag, IsFoundInAList) {
  EXPECT_TRUE(names_tag("*", "\"a\""));
  EXPECT_TRUE(names_tag("W/\"b\", W/\"a\"", "\"a\""));
  EXPECT_FALSE(names_tag("\"ba\"", "\"a\""));
  EXPECT_FALSE(names_tag("", "\"a\""));
}

}  // namespace
}  // namespace warpsight
