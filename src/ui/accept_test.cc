#include "ui/accept.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(Accept, PrometheusGetsOpenMetrics) {
  EXPECT_EQ(negotiate_page("application/openmetrics-text;version=1.0.0;q=0.5,"
                           "application/openmetrics-text;version=0.0.1;q=0.4,"
                           "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"),
            PageFormat::open_metrics);
  EXPECT_EQ(negotiate_page("application/vnd.google.protobuf;q=0.7,"
                           "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6"),
            PageFormat::open_metrics);
}

TEST(Accept, TheHigherQualityWins) {
  EXPECT_EQ(negotiate_page("application/openmetrics-text;q=0.2, text/plain;q=0.9"),
            PageFormat::classic);
  EXPECT_EQ(negotiate_page("text/plain;q=0.1, Application/OpenMetrics-Text; version=\"1.0.0\""),
            PageFormat::open_metrics);
  EXPECT_EQ(negotiate_page("application/openmetrics-text;q=0"), PageFormat::classic);
}

TEST(Accept, EverybodyElseGetsTheClassicText) {
  for (const char* header : {"", "*/*", "text/html,application/xhtml+xml,*/*;q=0.8",
                             ";;,,=;q=", "application/openmetrics-text;version=2.0.0"}) {
    EXPECT_EQ(negotiate_page(header), PageFormat::classic) << header;
  }
}

TEST(Accept, GzipIsUsedOnlyWhereAllowed) {
  EXPECT_TRUE(accepts_gzip("gzip"));
  EXPECT_TRUE(accepts_gzip("deflate, GZIP;q=0.5"));
  EXPECT_TRUE(accepts_gzip("*"));
  EXPECT_FALSE(accepts_gzip(""));
  EXPECT_FALSE(accepts_gzip("identity"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0.000, *"));
}

}  // namespace
}  // namespace warpsight
