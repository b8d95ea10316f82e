#include "ui/api/time_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr Time kNow{1'700'000'000s};

TEST(TimeText, MomentsAreReadInEveryFormThatPeopleWrite) {
  const std::pair<const char*, Time> cases[] = {
      {"1700000000", kNow},
      {"1700000000.25", kNow + 250ms},
      {"1700000000.999999999", kNow + 999'999'999ns},
      {"0", Time{}},
      {"now", kNow},
      {"-1h", kNow - 1h},
      {"-1h30m", kNow - 90min},
      {"-2d", kNow - 48h},
      {"2023-11-14T22:13:20Z", kNow},
      {"2023-11-14t22:13:20z", kNow},
      {"2023-11-14 22:13:20Z", kNow},
      {"2023-11-14T22:13:20.5Z", kNow + 500ms},
      {"2023-11-14T22:13:20.1234567891Z", kNow + 123'456'789ns},
      {"2023-11-15T00:13:20+02:00", kNow},
      {"2023-11-15T00:13:20 02:00", kNow},
      {"2023-11-14T16:43:20-05:30", kNow},
      {"2024-02-29T00:00:00Z", Time{1'709'164'800s}},
      {"2016-12-31T23:59:60Z", Time{1'483'228'800s}},
  };
  for (const auto& [text, time] : cases) {
    const auto parsed = parse_time(text, kNow);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, time) << text;
  }
}

TEST(TimeText, WhatIsNoMomentSaysHowToWriteOne) {
  for (const char* text : {"",
                           " ",
                           "yesterday",
                           "-",
                           "-3600",
                           "-1 fortnight",
                           "--1h",
                           "+1h",
                           "1e9",
                           "inf",
                           "nan",
                           "0x10",
                           "2023-11-14",
                           "2023-11-14T22:13:20",
                           "2023-13-14T22:13:20Z",
                           "2023-02-29T00:00:00Z",
                           "2023-11-14T24:00:00Z",
                           "2023-11-14T22:60:20Z",
                           "2023-11-14T22:13:61Z",
                           "2023-11-14T22:13:20.Z",
                           "2023-11-14T22:13:20Z ",
                           "2023-11-14T22:13:20+2:00",
                           "2023-11-14T22:13:20+24:00",
                           "1969-12-31T23:59:59Z",
                           "9999-01-01T00:00:00Z",
                           "1700000000000",
                           "99999999999999999999999999",
                           "-99999d",
                           "-1e300h"}) {
    const auto parsed = parse_time(text, kNow);
    ASSERT_FALSE(parsed) << text;
    EXPECT_FALSE(parsed.error().hint.empty()) << text;
  }
  EXPECT_THAT(parse_time("1700000000000", kNow).error().hint, HasSubstr("not milliseconds"));
  EXPECT_THAT(parse_time("-3600", kNow).error().hint, HasSubstr("unit"));
}

TEST(TimeText, ALengthIsSecondsOrANumberWithAUnit) {
  EXPECT_EQ(parse_seconds_or_duration("300"), 300s);
  EXPECT_EQ(parse_seconds_or_duration("0.5"), 500ms);
  EXPECT_EQ(parse_seconds_or_duration("5m"), 300s);
  EXPECT_EQ(parse_seconds_or_duration("1h30m"), 90min);
  for (const char* text : {"", "-5", "5x", "m", "1e3", "99999999999999", "inf"}) {
    EXPECT_FALSE(parse_seconds_or_duration(text)) << text;
  }
}

}  // namespace
}  // namespace warpsight
