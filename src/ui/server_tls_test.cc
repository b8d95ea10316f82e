#include "ui/server_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <optional>

#include "platform/process_stats.h"
#include "platform/test_dir.h"
#include "runtime/log.h"
#include "ui/http_test_client.h"
#include "ui/http_test_server.h"
#include "ui/test_certificates.h"

namespace warpsight {
namespace {

using test::ClientTls;
using test::HttpClient;
using test::HttpReply;
using test::TestCertificate;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kToken = "t0ken-nobody-may-see";

class TlsServerTest : public test::HttpServerTest {
 protected:
  // Writes a new certificate where the server looks for one.
  void issue(const std::string& name = "localhost") {
    const TestCertificate made(name, &authority_);
    dir_.write("server.pem", made.certificate_pem());
    dir_.write("server.key", made.key_pem());
  }

  HttpSecurity security(HttpCredentials credentials = {}) {
    auto tls = ServerTls::load(files_, clock_);
    EXPECT_TRUE(tls) << describe(tls.error());
    return {std::move(*tls), Authorization(credentials)};
  }

  void serve(HttpCredentials credentials = {}, HttpLimits limits = {}) {
    ASSERT_TRUE(start({SocketAddress::Kind::tcp, "127.0.0.1", 0, {}}, std::move(limits),
                      security(std::move(credentials))));
  }

  std::string error_of(const ServerTlsFiles& files) const {
    const auto tls = ServerTls::load(files, clock_);
    return tls ? "" : describe(tls.error());
  }

  HttpClient client() { return {server_->address(), trust_}; }

  TestDir dir_;
  ManualClock clock_;
  TestCertificate authority_{"authority"};
  ClientTls trust_{dir_.write("ca.pem", authority_.certificate_pem())};
  ServerTlsFiles files_{dir_.path() + "/server.pem", dir_.path() + "/server.key", ""};
};

TEST_F(TlsServerTest, AnswersOverTls) {
  issue();
  serve();
  with_client([&] {
    HttpClient https = client();
    ASSERT_TRUE(https.secure());
    EXPECT_EQ(https.get("/small").body, "small");
    EXPECT_EQ(https.get("/large").body, large_);
    EXPECT_EQ(https.get("/large", "Accept-Encoding: gzip\r\n").status, 200);
  });
}

TEST_F(TlsServerTest, AClientThatTrustsOthersStaysAway) {
  issue();
  serve();
  const TestCertificate stranger("stranger");
  const std::string other = dir_.write("other.pem", stranger.certificate_pem());
  with_client([&] {
    EXPECT_FALSE(HttpClient(server_->address(), {other}).secure());
    EXPECT_TRUE(client().secure()) << "which costs nobody else anything";
  });
}

TEST_F(TlsServerTest, ClientsShowACertificateWhereOneIsAskedFor) {
  issue();
  const TestCertificate known("prometheus", &authority_);
  const TestCertificate stranger("stranger");
  files_.client_ca = trust_.ca;
  serve();
  const auto with = [&](const TestCertificate& mine) {
    return ClientTls{trust_.ca, dir_.write("client.pem", mine.certificate_pem()),
                     dir_.write("client.key", mine.key_pem())};
  };
  with_client([&] {
    // In TLS 1.3 a client learns after its own part of the handshake that it was not liked.
    EXPECT_EQ(client().get("/small").status, 0);
    EXPECT_EQ(HttpClient(server_->address(), with(stranger)).get("/small").status, 0);
    EXPECT_EQ(HttpClient(server_->address(), with(known)).get("/small").status, 200);
  });
}

TEST_F(TlsServerTest, PlainHttpAndGarbageGetNothingAndCostNothing) {
  issue();
  serve();
  const auto before = count_open_fds();
  with_client([&] {
    HttpClient plain(server_->address());
    EXPECT_EQ(plain.get("/small").status, 0);
    HttpClient garbage(server_->address());
    garbage.send(std::string(5000, '\xff'));
    EXPECT_EQ(garbage.receive().status, 0);
    HttpClient half(server_->address());
    half.send(std::string_view("\x16\x03\x01\x02\x00", 5));
    EXPECT_EQ(client().get("/small").status, 200);
  });
  while (server_->connections() > 0) event_base_loop(base_, EVLOOP_ONCE);
  event_base_loop(base_, EVLOOP_NONBLOCK);
  EXPECT_EQ(count_open_fds(), before);
}

TEST_F(TlsServerTest, AClientThatDoesNotShakeHandsIsPutOut) {
  issue();
  HttpLimits limits;
  limits.timeout = std::chrono::milliseconds{100};
  serve({}, limits);
  with_client([&] {
    HttpClient silent(server_->address());
    EXPECT_TRUE(silent.closed_by_peer());
    HttpClient half(server_->address());
    half.send(std::string_view("\x16\x03\x01\x02\x00", 5));
    EXPECT_TRUE(half.closed_by_peer());
  });
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(TlsServerTest, OldProtocolsAreRefused) {
  issue();
  const auto tls = ServerTls::load(files_, clock_);
  ASSERT_TRUE(tls);
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl((*tls)->accept(), SSL_free);
  EXPECT_EQ(SSL_get_min_proto_version(ssl.get()), TLS1_2_VERSION);
}

TEST_F(TlsServerTest, AReplacedCertificateIsTakenAfterAWhile) {
  issue();
  serve();
  std::string first;
  std::optional<HttpClient> old;
  with_client([&] {
    old.emplace(server_->address(), trust_);
    first = old->peer_serial();
    issue();
    EXPECT_EQ(client().peer_serial(), first) << "files are not looked at that often";
  });
  clock_.advance(ServerTls::kCheckInterval);
  with_client([&] {
    EXPECT_NE(client().peer_serial(), first);
    EXPECT_EQ(old->get("/small").status, 200) << "connections that stand go on";
  });
}

TEST_F(TlsServerTest, ABadNewCertificateLeavesTheOldInForce) {
  issue();
  serve();
  const LogCapture log;
  std::string first;
  with_client([&] { first = client().peer_serial(); });
  dir_.write("server.key", TestCertificate("other", &authority_).key_pem());
  clock_.advance(ServerTls::kCheckInterval);
  with_client([&] { EXPECT_EQ(client().peer_serial(), first); });
  issue();
  clock_.advance(ServerTls::kCheckInterval);
  with_client([&] { EXPECT_NE(client().peer_serial(), first); });
  EXPECT_TRUE(log.contains("the page's new certificate cannot be used; the old one stays"));
  EXPECT_TRUE(log.contains("the page's certificate was replaced"));
}

TEST_F(TlsServerTest, FilesThatWillNotDoAreNamed) {
  EXPECT_THAT(error_of(files_), HasSubstr("server.pem"));
  issue();
  EXPECT_EQ(error_of(files_), "");
  EXPECT_THAT(error_of({files_.certificate, dir_.path() + "/none.key", ""}),
              HasSubstr("none.key: No such file"));
  const std::string other = dir_.write("other.key", TestCertificate("x").key_pem());
  EXPECT_THAT(error_of({files_.certificate, other, ""}), HasSubstr("listen_tls.key"));
  const std::string text = dir_.write("text.pem", "not a certificate\n");
  EXPECT_THAT(error_of({files_.certificate, files_.key, text}), HasSubstr("listen_tls.client_ca"));
}

TEST_F(TlsServerTest, WithoutCredentialsOnlyWhatIsOpenIsServed) {
  issue();
  serve({.bearer = kToken, .username = "reader", .password = "pass word"});
  const LogCapture log;
  with_client([&] {
    HttpClient https = client();
    const HttpReply refused = https.get("/small");
    EXPECT_EQ(refused.status, 401);
    EXPECT_TRUE(refused.has("WWW-Authenticate: Bearer realm=\"warpsight\"")) << refused.head;
    EXPECT_TRUE(refused.has("WWW-Authenticate: Basic realm=\"warpsight\""));
    EXPECT_THAT(refused.head + refused.body, Not(HasSubstr(kToken)));
    EXPECT_EQ(https.get("/small", "Authorization: Bearer wrong\r\n").status, 401);
    EXPECT_EQ(https.get("/nowhere").status, 401) << "not even what there is";
    EXPECT_EQ(https.get("/open").status, 200);
    const std::string token = std::string("Authorization: Bearer ") + kToken + "\r\n";
    EXPECT_EQ(https.get("/small", token).status, 200);
    EXPECT_EQ(https.get("/small", "Authorization: Basic cmVhZGVyOnBhc3Mgd29yZA==\r\n").status, 200);
  });
  EXPECT_TRUE(log.contains("without valid credentials"));
  EXPECT_FALSE(log.contains(kToken));
  EXPECT_FALSE(log.contains("wrong"));
}

TEST_F(TlsServerTest, NewSecurityHoldsForOldConnectionsToo) {
  issue();
  ASSERT_TRUE(start());
  HttpClient plain(server_->address());
  with_client([&] { EXPECT_EQ(plain.get("/small").status, 200); });
  server_->set_security({nullptr, Authorization({.bearer = kToken})});
  with_client([&] { EXPECT_EQ(plain.get("/small").status, 401); });
  server_->set_security(security());
  with_client([&] {
    EXPECT_EQ(plain.get("/small").status, 400);
    EXPECT_TRUE(plain.closed_by_peer());
    EXPECT_EQ(client().get("/small").status, 200);
  });
}

TEST_F(TlsServerTest, StopsWithConnectionsOpen) {
  issue();
  serve();
  with_client([&] {
    HttpClient https = client();
    EXPECT_EQ(https.get("/small").status, 200);
    HttpClient half(server_->address());
    half.send("\x16");
  });
  server_->stop_listening();
  server_.reset();
  event_base_loop(base_, EVLOOP_NONBLOCK);
}

}  // namespace
}  // namespace warpsight
