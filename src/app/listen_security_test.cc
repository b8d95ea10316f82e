#include "app/listen_security.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/agent_options.h"
#include "platform/test_dir.h"
#include "ui/test_certificates.h"

namespace warpsight {
namespace {

using ::testing::HasSubstr;

class ListenSecurityTest : public ::testing::Test {
 protected:
  void set(std::string_view key, std::string_view value) {
    const auto done = options_.set(key, value);
    EXPECT_TRUE(done) << describe(done.error());
  }
  std::string error() const {
    const auto security = listen_security(options_, clock_);
    return security ? "" : describe(security.error());
  }
  std::string exposed(std::string_view address) const {
    const auto found = exposure(*parse_address(address), options_);
    return found ? std::string(found->message) : "";
  }
  std::string refused(std::string_view address) const {
    const auto checked = check_exposure(*parse_address(address), options_);
    return checked ? "" : describe(checked.error());
  }
  void set_certificate() {
    const test::TestCertificate own("localhost");
    set("listen_tls.certificate", dir_.write("server.pem", own.certificate_pem()));
    set("listen_tls.key", dir_.write("server.key", own.key_pem()));
  }

  TestDir dir_;
  ManualClock clock_;
  Options options_ = Options::defaults(agent_options());
};

TEST_F(ListenSecurityTest, ByDefaultThereIsNone) {
  const auto security = listen_security(options_, clock_);
  ASSERT_TRUE(security);
  EXPECT_EQ(security->tls, nullptr);
  EXPECT_FALSE(security->authorization.required());
}

TEST_F(ListenSecurityTest, WhatGoesTogetherIsSetTogether) {
  set("listen_tls.key", "/etc/key.pem");
  EXPECT_THAT(error(), HasSubstr("listen_tls.certificate and listen_tls.key"));
  set("listen_tls.key", "");
  set("listen_tls.client_ca", "/etc/ca.pem");
  EXPECT_THAT(error(), HasSubstr("without TLS"));
  set("listen_tls.client_ca", "");
  set("listen_auth.password", "hush-hush");
  EXPECT_THAT(error(), HasSubstr("listen_auth.username"));
  EXPECT_THAT(error(), ::testing::Not(HasSubstr("hush-hush")));
  set("listen_auth.username", "reader");
  EXPECT_EQ(error(), "");
  EXPECT_EQ(options_.display("listen_auth.password").find("hush"), std::string::npos);
}

TEST_F(ListenSecurityTest, FilesAreLoaded) {
  set_certificate();
  const auto security = listen_security(options_, clock_);
  ASSERT_TRUE(security) << describe(security.error());
  EXPECT_NE(security->tls, nullptr);
  set("listen_tls.key", dir_.path() + "/none.pem");
  EXPECT_THAT(error(), HasSubstr("none.pem"));
}

TEST_F(ListenSecurityTest, AnOpenAddressIsWarnedAboutUntilItIsSafe) {
  EXPECT_EQ(exposed("127.0.0.1:1"), "");
  EXPECT_THAT(exposed(":1"), HasSubstr("unencrypted and without a password"));
  set("listen_auth.bearer", "token");
  EXPECT_THAT(exposed(":1"), HasSubstr("password crosses the network unencrypted"));
  set_certificate();
  EXPECT_EQ(exposed(":1"), "");
  set("listen_auth.bearer", "");
  EXPECT_THAT(exposed(":1"), HasSubstr("without a password"));
  set("listen_tls.client_ca", "/etc/ca.pem");
  EXPECT_EQ(exposed(":1"), "");
}

TEST_F(ListenSecurityTest, WhatOthersReachIsNotOpenUnlessToldTwice) {
  for (const char* address : {"127.0.0.1:1", "[::1]:1", "localhost:1", "unix:/run/w.sock"}) {
    EXPECT_EQ(refused(address), "") << address;
  }
  for (const char* address : {":1", "0.0.0.0:1", "[::]:1", "10.0.0.1:1", "node7:1"}) {
    EXPECT_THAT(refused(address), HasSubstr("without a password")) << address;
    EXPECT_THAT(refused(address), HasSubstr("listen_open: true")) << address;
  }
  set_certificate();
  EXPECT_THAT(refused(":1"), HasSubstr("without a password")) << "TLS alone asks nobody who it is";
  set("listen_open", "true");
  EXPECT_EQ(refused(":1"), "");
  EXPECT_THAT(exposed(":1"), HasSubstr("without a password")) << "it is still warned of";
}

TEST_F(ListenSecurityTest, AProofOfIdentityIsEnough) {
  set("listen_auth.bearer", "token");
  EXPECT_EQ(refused(":1"), "");
  set("listen_auth.bearer", "");
  EXPECT_NE(refused(":1"), "");
  set("listen_auth.username", "reader");
  set("listen_auth.password", "hush-hush");
  EXPECT_EQ(refused(":1"), "");
  set("listen_auth.password", "");
  set("listen_tls.client_ca", "/etc/ca.pem");
  EXPECT_EQ(refused(":1"), "");
}

}  // namespace
}  // namespace warpsight
