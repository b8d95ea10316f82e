#include "sources/engines/pages/series_text.h"

#include <gmock/gmock.h>

namespace warpsight::engines {
namespace {

uint64_t identity(std::string_view series, std::string_view except) {
  SeriesText text;
  text.read(series);
  return text.identity(except);
}

TEST(SeriesText, HasLabelsByNameWithoutEscapes) {
  SeriesText text;
  text.read(R"(a:b{z="1",a="x\\y\n\"q\"",empty=""})");
  EXPECT_EQ(text.name(), "a:b");
  ASSERT_EQ(text.labels().size(), 2U);
  EXPECT_EQ(text.labels()[0].name, "a");
  EXPECT_EQ(text.value_of("a"), "x\\y\n\"q\"");
  EXPECT_EQ(text.value_of("z"), "1");
  EXPECT_EQ(text.value_of("empty"), "");
  text.read(R"({"a.b",l="v"})");
  EXPECT_EQ(text.name(), "a.b");
  EXPECT_EQ(text.value_of("l"), "v");
}

TEST(SeriesText, IdentityIsThatOfTheLabelsInAnyOrder) {
  const uint64_t one = identity(R"(a_bucket{x="1",le="5",y="2"})", "le");
  EXPECT_EQ(identity(R"(a_sum{y="2",x="1"})", "le"), one);
  EXPECT_NE(identity(R"(a_sum{y="2",x="2"})", "le"), one);
  EXPECT_NE(identity(R"(a_bucket{x="1",le="5",y="2"})", ""), one);
}

}  // namespace
}  // namespace warpsight::engines
