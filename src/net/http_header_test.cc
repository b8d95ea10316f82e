#include "net/http_header.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

using std::chrono::seconds;

TEST(HttpHeader, NamesAndValuesThatCannotSplitALine) {
  EXPECT_TRUE(is_header_name("X-Scope-OrgID"));
  for (const std::string_view name : {"", "a b", "a:b", "a\r\nb", "caf\xc3\xa9"}) {
    EXPECT_FALSE(is_header_name(name)) << name;
  }
  EXPECT_TRUE(is_header_value("Bearer abc\tdef"));
  for (const std::string_view value :
       std::initializer_list<std::string_view>{"a\r\nX: y", "a\n", {"a\0b", 3}}) {
    EXPECT_FALSE(is_header_value(value)) << value;
  }
}

TEST(RetryAfter, InSecondsOrAsADate) {
  const Time now{seconds{784111777 - 90}};  // 90 s before the date below
  EXPECT_EQ(parse_retry_after("120", now), seconds{120});
  EXPECT_EQ(parse_retry_after("0", now), seconds{0});
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), seconds{90});
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), seconds{0});
}

TEST(RetryAfter, IsADayAtMost) {
  const Time now{seconds{784111777}};
  EXPECT_EQ(parse_retry_after("99999999999999999999999", now), std::chrono::days{1});
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 2094 08:49:37 GMT", now), std::chrono::days{1});
}

TEST(RetryAfter, AnythingElseIsNoAnswer) {
  for (const std::string_view value :
       {"", "soon", "-1", "1.5", "12s", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 25:49:37 GMT",
        "Sun, 06 Nov 9994 08:49:37 GMT", "Sun, 06 Nov 0004 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT"}) {
    EXPECT_EQ(parse_retry_after(value, Time{}), std::nullopt) << value;
  }
}

}  // namespace
}  // namespace warpsight
