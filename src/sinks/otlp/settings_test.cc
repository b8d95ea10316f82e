#include "sinks/otlp/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight::otlp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Given = std::vector<std::pair<std::string_view, std::string_view>>;

Result<Settings> settings(const Given& given) {
  Options options = Options::defaults(options_table());
  for (const auto& [name, value] : given) EXPECT_TRUE(options.set(name, value)) << name;
  return settings_of(options);
}

TEST(OtlpSettings, HttpEndpointsGetTheSignalsPath) {
  const struct {
    std::string_view endpoint;
    std::string_view metrics;
  } kCases[] = {
      {"", "http://localhost:4318/v1/metrics"},
      {"http://c:4318", "http://c:4318/v1/metrics"},
      {"http://c:4318/", "http://c:4318/v1/metrics"},
      {"https://c/otlp/", "https://c/otlp/v1/metrics"},
      {"https://c/otlp?key=1", "https://c/otlp/v1/metrics?key=1"},
  };
  for (const auto& [endpoint, metrics] : kCases) {
    const auto found = settings({{"endpoint", endpoint}});
    ASSERT_TRUE(found) << endpoint;
    EXPECT_EQ(found->metrics_url, metrics);
  }
}

TEST(OtlpSettings, ASignalsOwnEndpointIsUsedAsItIs) {
  const auto both = settings({{"endpoint", "http://c"}, {"metrics_endpoint", "http://m/write"}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->metrics_url, "http://m/write");
  EXPECT_EQ(both->logs_url, "http://c/v1/logs");
  EXPECT_TRUE(both->logs);
  const auto alone = settings({{"metrics_endpoint", "http://m/write"}});
  ASSERT_TRUE(alone);
  EXPECT_FALSE(alone->logs) << "nobody said where to";
}

TEST(OtlpSettings, GrpcEndpointsSayWhetherThereIsTls) {
  const struct {
    std::string_view endpoint;
    std::string_view insecure;
    std::string_view address;
    bool tls;
  } kCases[] = {
      {"", "false", "localhost:4317", false},
      {"http://c:1", "false", "c:1", false},
      {"https://c:1/", "true", "c:1", true},
      {"https://c", "false", "c:4317", true},
      {"c:1", "false", "c:1", true},
      {"c:1", "true", "c:1", false},
      {"[::1]", "true", "[::1]:4317", false},
      {"http://[::1]:5", "false", "[::1]:5", false},
      {"unix:/run/c.sock", "false", "unix:/run/c.sock", false},
      {"unix:///run/c.sock", "false", "unix:/run/c.sock", false},
  };
  for (const auto& c : kCases) {
    const auto found =
        settings({{"protocol", "grpc"}, {"endpoint", c.endpoint}, {"insecure", c.insecure}});
    ASSERT_TRUE(found) << c.endpoint;
    EXPECT_EQ(to_string(found->metrics_target.address), c.address);
    EXPECT_EQ(found->metrics_target.use_tls, c.tls) << c.endpoint;
  }
}

TEST(OtlpSettings, WhatIsNoEndpointIsAnError) {
  const Given kCases[] = {
      {{"endpoint", "collector:4318"}},
      {{"endpoint", "http://"}},
      {{"endpoint", "ftp://c"}},
      {{"protocol", "grpc"}, {"endpoint", "http://c/path"}},
      {{"protocol", "grpc"}, {"endpoint", "c:port"}},
      {{"protocol", "grpc"}, {"endpoint", ":4317"}},
      {{"protocol", "grpc"}, {"endpoint", "unix:relative"}},
  };
  for (const Given& given : kCases) {
    const auto found = settings(given);
    ASSERT_FALSE(found) << given.back().second;
    EXPECT_FALSE(found.error().hint.empty());
  }
}

TEST(OtlpSettings, CredentialsInAnEndpointAreRefusedUnquoted) {
  for (const std::string_view protocol : {"grpc", "http/protobuf"}) {
    const auto found = settings({{"protocol", protocol}, {"endpoint", "http://user:pass@host"}});
    ASSERT_FALSE(found);
    EXPECT_THAT(describe(found.error()), Not(HasSubstr("pass@")));
    EXPECT_THAT(describe(found.error()), HasSubstr("auth.username"));
  }
}

TEST(OtlpSettings, ChoicesBecomeForms) {
  const auto plain = settings({});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->protocol, Protocol::http_protobuf);
  EXPECT_EQ(plain->compression, Compression::gzip);
  EXPECT_FALSE(plain->form.delta);
  EXPECT_FALSE(plain->form.exponential);
  const auto other = settings({{"temporality", "lowmemory"}, {"histograms", "exponential"}});
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->form.delta);
  EXPECT_TRUE(other->form.exponential);
}

}  // namespace
}  // namespace warpsight::otlp
