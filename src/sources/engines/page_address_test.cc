#include "sources/engines/page_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight::engines {
namespace {

TEST(PageAddress, TakesWhatPeopleWrite) {
  const struct {
    const char* text;
    const char* url;
    const char* address;
  } cases[] = {
      {"http://gpu-7:8000/metrics", "http://gpu-7:8000/metrics", "gpu-7:8000"},
      {"gpu-7:8000", "http://gpu-7:8000/usual", "gpu-7:8000"},
      {"https://gpu-7", "https://gpu-7/usual", "gpu-7:443"},
      {"http://gpu-7/v1/metrics?model=a", "http://gpu-7/v1/metrics?model=a", "gpu-7:80"},
      {"http://[::1]:8000", "http://[::1]:8000/usual", "[::1]:8000"},
      {"unix:/run/e.sock", "unix:/run/e.sock:/usual", "/run/e.sock"},
      {"unix:/run/e.sock:/metrics", "unix:/run/e.sock:/metrics", "/run/e.sock"},
  };
  for (const auto& c : cases) {
    const auto parsed = parse_page_address(c.text);
    ASSERT_TRUE(parsed) << c.text;
    EXPECT_EQ(parsed->url("/usual"), c.url);
    EXPECT_EQ(parsed->address, c.address);
  }
}

TEST(PageAddress, RefusesWhatIsNone) {
  for (const char* text : {"", "ftp://a/b", "http://", "http://a b/", "unix:relative",
                           "http://h:x/", "http://h:123456/", "http://[::1/", "unix:"}) {
    EXPECT_FALSE(parse_page_address(text)) << text;
  }
}

TEST(PageAddress, RefusesCredentialsWithoutQuotingThem) {
  const auto parsed = parse_page_address("http://user:hunter2@host/metrics");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(describe(parsed.error()), testing::Not(testing::HasSubstr("hunter2")));
  EXPECT_THAT(describe(parsed.error()), testing::HasSubstr("auth.username"));
}

TEST(PageAddress, IsShownWithoutItsQuery) {
  EXPECT_EQ(shown_url("http://h:1/metrics?token=secret"), "http://h:1/metrics");
  EXPECT_EQ(shown_url("http://h:1/metrics"), "http://h:1/metrics");
}

TEST(LocalAddresses, KnowsThisMachineByItsNames) {
  const LocalAddresses local({"localhost", "127.0.0.1", "::1", "gpu-7", "10.0.0.7"});
  EXPECT_TRUE(local.same("localhost:8000", "127.0.0.1:8000"));
  EXPECT_TRUE(local.same("[::1]:8000", "127.0.0.1:8000"));
  EXPECT_TRUE(local.same("gpu-7:8000", "10.0.0.7:8000"));
  EXPECT_FALSE(local.same("127.0.0.1:8000", "127.0.0.1:8001"));
  EXPECT_FALSE(local.same("10.0.0.1:8000", "127.0.0.1:8000"));
  EXPECT_TRUE(local.same("10.0.0.1:8000", "10.0.0.1:8000"));
  EXPECT_TRUE(local.same("/run/e.sock", "/run/e.sock"));
}

TEST(LocalAddresses, OfThisMachineHasItsLoopback) {
  EXPECT_TRUE(LocalAddresses::of_this_machine().same("localhost:1", "127.0.0.1:1"));
}

}  // namespace
}  // namespace warpsight::engines
