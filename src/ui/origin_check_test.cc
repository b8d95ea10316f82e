#include "ui/origin_check.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

bool allowed(std::string_view origin, std::string_view host, bool tls = false) {
  return is_own_origin({origin, {}, host, tls});
}

TEST(OriginCheck, ProgramsSayNothing) {
  EXPECT_TRUE(allowed("", "localhost:9465"));
  EXPECT_TRUE(allowed("", ""));
}

TEST(OriginCheck, TheOriginIsTheHostThatWasAsked) {
  EXPECT_TRUE(allowed("http://localhost:9465", "localhost:9465"));
  EXPECT_TRUE(allowed("HTTP://LocalHost:9465", "localhost:9465"));
  EXPECT_TRUE(allowed("http://[::1]:9465", "[::1]:9465"));
  EXPECT_FALSE(allowed("http://[::1]:9465", "[::2]:9465"));
  EXPECT_FALSE(allowed("http://evil.example", "localhost:9465"));
  EXPECT_FALSE(allowed("http://localhost.evil.example:9465", "localhost:9465"));
  EXPECT_FALSE(allowed("http://localhost:9465.evil.example", "localhost:9465"));
  EXPECT_FALSE(allowed("http://localhost:80", "localhost:9465"));
  EXPECT_FALSE(allowed("http://localhost", "localhost:9465"));
  EXPECT_FALSE(allowed("http://localhost:9465", ""));
  for (const char* origin : {"null", "http://", "localhost:9465", "file://", "http", "ftp://a"}) {
    EXPECT_FALSE(allowed(origin, "localhost:9465")) << origin;
    EXPECT_FALSE(allowed(origin, "")) << origin;
  }
}

TEST(OriginCheck, APortLeftOutIsTheSchemes) {
  EXPECT_TRUE(allowed("http://node", "node:80"));
  EXPECT_TRUE(allowed("https://node", "node:443", true));
  EXPECT_TRUE(allowed("https://[::1]", "[::1]:443", true));
  EXPECT_FALSE(allowed("https://node", "node:80", true));
}

TEST(OriginCheck, OverTlsTheOriginIsSecureToo) {
  EXPECT_TRUE(allowed("https://node:9465", "node:9465", true));
  EXPECT_FALSE(allowed("http://node:9465", "node:9465", true));
  EXPECT_TRUE(allowed("https://node", "node", false)) << "a proxy ended TLS";
}

TEST(OriginCheck, WhatTheBrowserSaysOfTheSiteCounts) {
  const auto from = [](std::string_view site) {
    return is_own_origin({"http://localhost:1", site, "localhost:1", false});
  };
  EXPECT_TRUE(from("same-origin"));
  EXPECT_TRUE(from("none"));
  EXPECT_FALSE(from("same-site"));
  EXPECT_FALSE(from("cross-site"));
  EXPECT_FALSE(from("anything"));
}

}  // namespace
}  // namespace warpsight
