#include "runtime/peer_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "platform/test_dir.h"

namespace warpsight {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

Options options(std::initializer_list<std::pair<const char*, std::string>> values) {
  Options made = Options::defaults(kPeerOptions);
  for (const auto& [name, value] : values) EXPECT_TRUE(made.set(name, value)) << name;
  return made;
}

TEST(PeerHeaders, AreThoseOfTheConfig) {
  PeerHeaders headers(options({{"headers", "X-Scope-OrgID=7"}, {"auth.bearer", "abc"}}));
  EXPECT_THAT(headers.current().value(),
              ElementsAre(Pair("x-scope-orgid", "7"), Pair("authorization", "Bearer abc")));
  PeerHeaders basic(options({{"auth.username", "user"}, {"auth.password", "hush"}}));
  EXPECT_THAT(basic.current().value(), ElementsAre(Pair("authorization", "Basic dXNlcjpodXNo")));
  EXPECT_TRUE(PeerHeaders(options({})).current().value().empty());
}

TEST(PeerHeaders, FollowTheTokensFile) {
  const TestDir dir;
  const std::string path = dir.write("token", "first\n");
  PeerHeaders headers(options({{"auth.bearer_file", path}}));
  EXPECT_THAT(headers.current().value(), Contains(Pair("authorization", "Bearer first")));
  // As Kubernetes does it: a new file in the old one's place.
  std::filesystem::rename(dir.write("next", "secnd\n"), path);
  EXPECT_THAT(headers.current().value(), Contains(Pair("authorization", "Bearer secnd")));
  std::filesystem::remove(path);
  EXPECT_FALSE(headers.current());
  dir.write("token", "third");
  EXPECT_THAT(headers.current().value(), Contains(Pair("authorization", "Bearer third")));
}

TEST(PeerHeaders, ATokensFileMustHoldOneLine) {
  const TestDir dir;
  for (const char* content : {"", "\n", "hush\r\nx: y"}) {
    PeerHeaders headers(options({{"auth.bearer_file", dir.write("token", content)}}));
    const auto current = headers.current();
    ASSERT_FALSE(current);
    EXPECT_THAT(describe(current.error()), Not(HasSubstr("hush")));
  }
}

TEST(PeerSettings, AreThoseOfTheConfig) {
  const TestDir dir;
  const std::string file = dir.write("x.pem", "x");
  const auto settings = peer_settings(options({{"timeout", "3s"},
                                               {"tls.ca", file},
                                               {"tls.certificate", file},
                                               {"tls.key", file},
                                               {"tls.server_name", "peer.example"},
                                               {"tls.insecure_skip_verify", "true"},
                                               {"proxy", "http://proxy:3128"}}));
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->timeout, std::chrono::seconds{3});
  EXPECT_EQ(settings->tls.ca, file);
  EXPECT_EQ(settings->tls.certificate, file);
  EXPECT_EQ(settings->tls.key, file);
  EXPECT_EQ(settings->tls.server_name, "peer.example");
  EXPECT_FALSE(settings->tls.verify);
  EXPECT_EQ(settings->proxy, "http://proxy:3128");
  EXPECT_TRUE(peer_settings(options({}))->tls.verify);
}

TEST(PeerSettings, MistakesAreFoundBeforeAnythingIsSent) {
  const TestDir dir;
  const std::string file = dir.write("x.pem", "x");
  const std::pair<Options, const char*> mistakes[] = {
      {options({{"auth.bearer", "hush"}, {"auth.username", "u"}}), "given twice"},
      {options({{"auth.bearer", "hush"}, {"auth.bearer_file", file}}), "given twice"},
      {options({{"auth.bearer", "hush"}, {"headers", "Authorization=hush"}}), "given twice"},
      {options({{"auth.password", "hush"}}), "auth.username"},
      {options({{"auth.username", "a:b"}, {"auth.password", "hush"}}), "colon"},
      {options({{"auth.bearer", "hush\nhush"}}), "auth.bearer"},
      {options({{"headers", "bad name=hush"}}), "bad name"},
      {options({{"headers", "x=hush\r\ny: z"}}), "control characters"},
      {options({{"tls.certificate", file}}), "tls.key"},
      {options({{"tls.key", file}}), "tls.certificate"},
      {options({{"tls.ca", dir.path() + "/absent"}}), "tls.ca"},
      {options({{"auth.bearer_file", dir.path() + "/absent"}}), "auth.bearer_file"},
      {options({{"proxy", "ftp://u:hush@proxy"}}), "proxy"},
  };
  for (const auto& [given, words] : mistakes) {
    const auto settings = peer_settings(given);
    ASSERT_FALSE(settings) << words;
    EXPECT_THAT(describe(settings.error()), HasSubstr(words));
    EXPECT_THAT(describe(settings.error()), Not(HasSubstr("hush")));
    EXPECT_FALSE(settings.error().hint.empty());
  }
}

}  // namespace
}  // namespace warpsight
