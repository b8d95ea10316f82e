#include "ui/query_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string error_of(std::string_view query) {
  const auto parsed = parse_query(query);
  return parsed ? "" : describe(parsed.error());
}

TEST(QueryParameters, AreDecodedInTheirOrder) {
  EXPECT_THAT(*parse_query("metric=gpu.power.draw&match=gpu.index%3D0&metric=b"),
              ElementsAre(Pair("metric", "gpu.power.draw"), Pair("match", "gpu.index=0"),
                          Pair("metric", "b")));
  EXPECT_THAT(*parse_query("a=x+y%2Bz%21&%C3%BC=%c3%9f"),
              ElementsAre(Pair("a", "x y+z!"), Pair("ü", "ß")));
  EXPECT_THAT(*parse_query("a=b=c"), ElementsAre(Pair("a", "b=c")));
}

TEST(QueryParameters, WhatIsLeftOutIsEmpty) {
  EXPECT_THAT(*parse_query(""), IsEmpty());
  EXPECT_THAT(*parse_query("&&a&=1&b=&"), ElementsAre(Pair("a", ""), Pair("", "1"), Pair("b", "")));
}

TEST(QueryParameters, BrokenEncodingIsAnError) {
  for (const char* query : {"a=%", "a=%4", "a=%zz", "%=a", "a=1&b=%g0", "a=%4%41"}) {
    EXPECT_THAT(error_of(query), HasSubstr("encodes nothing")) << query;
  }
  for (const char* query : {"a=%00", "a=%1b[2J", "a=%ff", "a=%C0%80", "%ed%a0%80=1", "a=%7f"}) {
    EXPECT_THAT(error_of(query), HasSubstr("not UTF-8 text")) << query;
  }
  EXPECT_EQ(error_of("a=%41%0a%09"), "");
}

TEST(QueryParameters, NumberAndSizeAreBounded) {
  std::string many;
  for (size_t i = 0; i < kMaxParameters; ++i) many += "a=1&";
  EXPECT_EQ(error_of(many), "");
  EXPECT_THAT(error_of(many + "a=1"), HasSubstr("more than 64 parameters"));
  EXPECT_EQ(error_of(std::string(kMaxQuery, 'a')), "");
  EXPECT_THAT(error_of(std::string(kMaxQuery + 1, 'a')), HasSubstr("longer than 8192 bytes"));
}

}  // namespace
}  // namespace warpsight
