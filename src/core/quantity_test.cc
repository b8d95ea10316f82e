#include "core/quantity.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

using namespace std::chrono_literals;

TEST(Quantity, ReadsDurations) {
  EXPECT_EQ(parse_duration("250ms"), Duration{250ms});
  EXPECT_EQ(parse_duration("10s"), Duration{10s});
  EXPECT_EQ(parse_duration("5m"), Duration{5min});
  EXPECT_EQ(parse_duration("1h30m"), Duration{90min});
  EXPECT_EQ(parse_duration("1.5s"), Duration{1500ms});
  EXPECT_EQ(parse_duration("0"), Duration{0});
  EXPECT_EQ(parse_duration("2 d"), Duration{48h});
}

TEST(Quantity, RefusesDurationsWithoutAUnitOrOutOfReason) {
  for (const char* text : {"", "10", "s", "-1s", "1x", "1s2", "infs", "nan", "1e3s", "0x10s",
                           "99999999999999999999d", "1..5s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Quantity, ReadsSizes) {
  EXPECT_EQ(parse_size("64KiB"), 65536U);
  EXPECT_EQ(parse_size("10MB"), 10'000'000U);
  EXPECT_EQ(parse_size("1.5 GiB"), 1'610'612'736U);
  EXPECT_EQ(parse_size("17"), 17U);
  EXPECT_EQ(parse_size("0"), 0U);
}

TEST(Quantity, RefusesSizesWithUnknownUnits) {
  for (const char* text : {"", "KiB", "1K", "-1", "1KiB1", "1e30", "99999999999TiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Quantity, WritesTheShortestFormThatReadsBack) {
  for (const char* text : {"0", "250ms", "10s", "90s", "5m", "1h", "2d", "1ns"}) {
    EXPECT_EQ(format_duration(*parse_duration(text)), text);
  }
  for (const char* text : {"0", "17", "64KiB", "10MB", "1GiB", "1500kB"}) {
    EXPECT_EQ(format_size(*parse_size(text)), text);
  }
}

}  // namespace
}  // namespace warpsight
