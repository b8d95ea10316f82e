#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "net/scripted_server_test.h"
#include "net/test_proxy_test.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;
using test::CertificateFiles;
using test::ScriptedServer;
using test::ServerConnection;
using test::ServerTls;
using test::TestAuthority;
using testing::HasSubstr;
using testing::Not;

class HttpsTest : public testing::Test {
 protected:
  ScriptedServer serve(const CertificateFiles& files, const std::string& client_authority = {}) {
    return ScriptedServer(
        [this](ServerConnection& connection) {
          request_ = connection.read_request();
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        },
        std::make_unique<ServerTls>(files, false, client_authority));
  }
  static TransportResult<HttpReply> get(const ScriptedServer& server, TlsSettings tls,
                                        std::string proxy = {}) {
    return HttpClient::make({.tls = std::move(tls), .proxy = std::move(proxy)})
        .value()
        ->get(server.url("/x"), {});
  }

  TestAuthority authority_;
  std::string request_;
};

TEST_F(HttpsTest, TrustsTheGivenAuthority) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"));
  const auto reply = get(server, {.ca = authority_.file()});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "ok");
}

TEST_F(HttpsTest, TrustsNobodyElse) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"));
  const TestAuthority other;
  for (const std::string& ca : {std::string(), other.file()}) {
    const auto reply = get(server, {.ca = ca});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, Kind::tls) << reply.error().message;
    EXPECT_THAT(reply.error().hint, HasSubstr("tls.ca"));
  }
  EXPECT_TRUE(get(server, {.verify = false}));
}

TEST_F(HttpsTest, TheNameMustBeRight) {
  const auto server = serve(authority_.issue("DNS:collector.example"));
  const auto wrong = get(server, {.ca = authority_.file()});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, Kind::tls);
  EXPECT_THAT(wrong.error().hint, HasSubstr("tls.server_name")) << wrong.error().message;
  const auto right = get(server, {.ca = authority_.file(), .server_name = "collector.example"});
  ASSERT_TRUE(right) << right.error().message;
  EXPECT_THAT(request_, HasSubstr("\r\nHost: " + to_string(server.address()) + "\r\n"));
}

TEST_F(HttpsTest, ExpiredCertificatesAreRefused) {
  const auto server = serve(authority_.issue("IP:127.0.0.1", -1));
  const auto reply = get(server, {.ca = authority_.file()});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::tls);
  EXPECT_THAT(reply.error().hint, HasSubstr("renew")) << reply.error().message;
}

TEST_F(HttpsTest, ShowsItsOwnCertificateWhereOneIsWanted) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"), authority_.file());
  const auto without = get(server, {.ca = authority_.file()});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind, Kind::tls) << without.error().message;
  EXPECT_THAT(without.error().hint, HasSubstr("tls.certificate"));
  const CertificateFiles ours = authority_.issue("DNS:agent");
  const auto with =
      get(server, {.ca = authority_.file(), .certificate = ours.certificate, .key = ours.key});
  EXPECT_TRUE(with) << with.error().message;
}

TEST_F(HttpsTest, FilesThatCannotBeUsedAreASetupFailure) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"));
  const TestDir dir;
  const std::string garbage = dir.write("garbage.pem", "no certificate");
  for (const TlsSettings& tls :
       {TlsSettings{.ca = garbage},
        TlsSettings{.ca = authority_.file(), .certificate = garbage, .key = garbage}}) {
    const auto reply = get(server, tls);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, Kind::setup) << reply.error().message;
    EXPECT_THAT(reply.error().hint, HasSubstr("PEM"));
  }
}

TEST_F(HttpsTest, APeerWithoutTlsIsTold) {
  const ScriptedServer plain([](ServerConnection& connection) {
    connection.read_some();
    connection.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const auto reply = HttpClient::make({}).value()->get("https://" + to_string(plain.address()), {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::tls);
  EXPECT_THAT(reply.error().hint, HasSubstr("speak TLS")) << reply.error().message;
}

TEST_F(HttpsTest, GoesThroughAProxy) {
  const auto server = serve(authority_.issue("DNS:collector.example"));
  std::vector<std::string> heads;
  const ScriptedServer proxy(test::serve_proxy("Basic dXNlcjpodXNo", heads));
  const std::string at = "@" + to_string(proxy.address());
  const TlsSettings tls{.ca = authority_.file(), .server_name = "collector.example"};
  const auto reply = get(server, tls, "http://user:hush" + at);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_THAT(heads.at(0), testing::StartsWith("CONNECT " + to_string(server.address())));

  const auto wrong = get(server, tls, "http://user:wronghush" + at);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, Kind::connect);
  EXPECT_THAT(wrong.error().message, HasSubstr("407"));
  EXPECT_THAT(wrong.error().message + wrong.error().hint, Not(HasSubstr("hush")));
}

TEST(HttpProxy, ThatCannotBeUsedIsASetupFailure) {
  const auto client = HttpClient::make({.proxy = "socks5://user:hush@proxy:1080"});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().kind, Kind::setup);
  EXPECT_THAT(client.error().message + client.error().hint, Not(HasSubstr("hush")));
}

}  // namespace
}  // namespace warpsight
