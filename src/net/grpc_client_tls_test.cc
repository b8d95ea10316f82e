#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/grpc_client.h"
#include "net/grpc_server_test.h"
#include "net/test_proxy_test.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;
using test::CertificateFiles;
using test::GrpcRequest;
using test::ScriptedServer;
using test::ServerTls;
using test::TestAuthority;
using testing::HasSubstr;
using testing::Not;

class GrpcTlsTest : public testing::Test {
 protected:
  ScriptedServer serve(const CertificateFiles& files, const std::string& client_authority = {}) {
    return ScriptedServer(
        test::serve_grpc([](const GrpcRequest& request) {
          return test::grpc_answer(request.header(":scheme") == "https" ? "0" : "2");
        }),
        std::make_unique<ServerTls>(files, true, client_authority));
  }
  static TransportResult<GrpcReply> call(const SocketAddress& address, TlsSettings tls,
                                         std::string proxy = {}) {
    const auto client = GrpcClient::make(
        {.address = address, .use_tls = true, .tls = std::move(tls), .proxy = std::move(proxy)});
    if (!client) return tl::unexpected(client.error());
    return (*client)->call("/a.Service/Export", {}, std::string(200'000, 'x'),
                           GrpcEncoding::identity);
  }

  TestAuthority authority_;
};

TEST_F(GrpcTlsTest, TrustsTheGivenAuthority) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"));
  const auto reply = call(server.address(), {.ca = authority_.file()});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 0);
}

TEST_F(GrpcTlsTest, TrustsNobodyElse) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"));
  const TestAuthority other;
  for (const std::string& ca : {std::string(), other.file()}) {
    const auto reply = call(server.address(), {.ca = ca});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, Kind::tls) << reply.error().message;
    EXPECT_THAT(reply.error().hint, HasSubstr("tls.ca"));
  }
  EXPECT_TRUE(call(server.address(), {.verify = false}));
}

TEST_F(GrpcTlsTest, TheNameMustBeRight) {
  const auto server = serve(authority_.issue("DNS:collector.example"));
  for (const std::string& name : {std::string(), std::string("other.example")}) {
    const auto reply = call(server.address(), {.ca = authority_.file(), .server_name = name});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, Kind::tls);
    EXPECT_THAT(reply.error().hint, HasSubstr("tls.server_name")) << reply.error().message;
  }
  EXPECT_TRUE(
      call(server.address(), {.ca = authority_.file(), .server_name = "collector.example"}));
}

TEST_F(GrpcTlsTest, ExpiredCertificatesAreRefused) {
  const auto server = serve(authority_.issue("IP:127.0.0.1", -1));
  const auto reply = call(server.address(), {.ca = authority_.file()});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::tls);
  EXPECT_THAT(reply.error().hint, HasSubstr("renew")) << reply.error().message;
}

TEST_F(GrpcTlsTest, ShowsItsOwnCertificateWhereOneIsWanted) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"), authority_.file());
  const auto without = call(server.address(), {.ca = authority_.file()});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind, Kind::tls) << without.error().message;
  EXPECT_THAT(without.error().hint, HasSubstr("tls.certificate"));
  const CertificateFiles ours = authority_.issue("DNS:agent");
  const auto with =
      call(server.address(),
           {.ca = authority_.file(), .certificate = ours.certificate, .key = ours.key});
  EXPECT_TRUE(with) << with.error().message;
}

TEST_F(GrpcTlsTest, FilesThatCannotBeUsedAreASetupFailure) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"));
  const TestDir dir;
  const std::string garbage = dir.write("garbage.pem", "no certificate");
  const CertificateFiles ours = authority_.issue("DNS:agent");
  const CertificateFiles others = authority_.issue("DNS:agent");
  for (const TlsSettings& tls :
       {TlsSettings{.ca = garbage}, TlsSettings{.certificate = garbage, .key = ours.key},
        TlsSettings{.certificate = ours.certificate, .key = others.key}}) {
    const auto reply = call(server.address(), tls);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, Kind::setup) << reply.error().message;
  }
}

TEST_F(GrpcTlsTest, APeerWithoutTlsIsTold) {
  const ScriptedServer plain([](test::ServerConnection& connection) {
    connection.read_some();
    connection.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const auto reply = call(plain.address(), {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::tls);
  EXPECT_THAT(reply.error().hint, HasSubstr("speak TLS")) << reply.error().message;
}

TEST_F(GrpcTlsTest, AnHttp1PeerIsTold) {
  const ScriptedServer server(
      [](test::ServerConnection& connection) {
        connection.read_some();
        connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        connection.wait_until_client_closes();
      },
      std::make_unique<ServerTls>(authority_.issue("IP:127.0.0.1"), false));
  const auto reply = call(server.address(), {.ca = authority_.file()});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::protocol) << reply.error().message;
  EXPECT_THAT(reply.error().hint, HasSubstr("4318"));
}

TEST_F(GrpcTlsTest, GoesThroughAProxy) {
  const auto server = serve(authority_.issue("IP:127.0.0.1"));
  std::vector<std::string> heads;
  const ScriptedServer proxy(test::serve_proxy("Basic dXNlcjpodXNo", heads));
  const std::string at = "@" + to_string(proxy.address());
  const auto reply = call(server.address(), {.ca = authority_.file()}, "http://user:hush" + at);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_THAT(heads.at(0), testing::StartsWith("CONNECT " + to_string(server.address())));

  const auto wrong =
      call(server.address(), {.ca = authority_.file()}, "http://user:wronghush" + at);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, Kind::connect);
  EXPECT_THAT(wrong.error().message, HasSubstr("407"));
  EXPECT_THAT(wrong.error().message + wrong.error().hint, Not(HasSubstr("hush")));
}

TEST_F(GrpcTlsTest, WhatIsNoProxyIsTold) {
  const ScriptedServer mail(
      [](test::ServerConnection& connection) { connection.send("220 mail\r\n\r\n"); });
  const auto reply = call(test::unused_address(), {}, "http://u:hush@" + to_string(mail.address()));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::protocol);
  const auto broken = call(test::unused_address(), {}, "https://u:hush@proxy:1");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, Kind::setup);
  EXPECT_THAT(broken.error().message + broken.error().hint, Not(HasSubstr("hush")));
}

}  // namespace
}  // namespace warpsight
