#include "sources/kubernetes/api/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "platform/test_dir.h"

namespace warpsight::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

Surroundings pod(const TestDir& account, std::string host) {
  return {.variable =
              [host = std::move(host)](const char* name) {
                const bool is_host = std::string_view(name) == "KUBERNETES_SERVICE_HOST";
                return is_host ? host : std::string("6443");
              },
          .account = account.path()};
}

TEST(Access, APodFindsEverythingAroundIt) {
  const TestDir account;
  const std::string token = account.write("token", "t");
  const std::string ca = account.write("ca.crt", "c");
  const auto access = complete({}, pod(account, "10.96.0.1"));
  ASSERT_TRUE(access);
  EXPECT_EQ(access->url, "https://10.96.0.1:6443");
  EXPECT_EQ(access->token_file, token);
  EXPECT_EQ(access->ca_file, ca);
  EXPECT_EQ(complete({}, pod(account, "fd00::1"))->url, "https://[fd00::1]:6443");
}

TEST(Access, WhatIsSetCounts) {
  const TestDir account;
  account.write("token", "t");
  const auto access = complete({.url = "https://api:1/", .token_file = "/mine", .ca_file = "/ca"},
                               pod(account, "10.96.0.1"));
  EXPECT_EQ(access->url, "https://api:1");
  EXPECT_EQ(access->token_file, "/mine");
  EXPECT_EQ(access->ca_file, "/ca");
}

TEST(Access, WithoutAnAddressThereIsNone) {
  const TestDir account;
  const auto access = complete({}, pod(account, ""));
  ASSERT_FALSE(access);
  EXPECT_THAT(access.error().hint, HasSubstr("api:"));
}

TEST(TokenFile, IsReadAgainWhenItChanges) {
  const TestDir dir;
  TokenFile token(dir.write("token", "first\n"));
  EXPECT_THAT(*token.headers(), ElementsAre(Pair("Authorization", "Bearer first")));
  std::filesystem::rename(dir.write("new", "second"), dir.path() + "/token");
  EXPECT_THAT(*token.headers(), ElementsAre(Pair("Authorization", "Bearer second")));
}

TEST(TokenFile, IsReadAgainWhenItWasRefused) {
  const TestDir dir;
  const std::string path = dir.write("token", "aaaa");
  TokenFile token(path);
  ASSERT_TRUE(token.headers());
  const auto time = std::filesystem::last_write_time(path);
  dir.write("token", "bbbb");
  std::filesystem::last_write_time(path, time);
  token.refused();
  EXPECT_THAT(*token.headers(), ElementsAre(Pair("Authorization", "Bearer bbbb")));
}

TEST(TokenFile, ErrorsDoNotShowIt) {
  const TestDir dir;
  TokenFile broken(dir.write("token", "sec\nret"));
  ASSERT_FALSE(broken.headers());
  EXPECT_THAT(describe(broken.headers().error()), Not(HasSubstr("ret")));
  TokenFile missing(dir.path() + "/none");
  EXPECT_THAT(missing.headers().error().hint, HasSubstr("token_file"));
  TokenFile none("");
  EXPECT_THAT(*none.headers(), IsEmpty());
}

}  // namespace
}  // namespace warpsight::kubernetes
