#include "ui/api/silence_request.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(std::string_view body) {
  const auto request = parse_silence_request(body);
  if (request) return "none";
  EXPECT_FALSE(request.error().hint.empty()) << body;
  return describe(request.error());
}

std::string with_comment(const std::string& comment) {
  return fmt::format(R"({{"match":["a=b"],"for":60,"comment":"{}"}})", comment);
}

TEST(SilenceRequest, AListOfMatchers) {
  const auto request = parse_silence_request(
      R"({"match": ["alert.name=GpuHot", "gpu.index!=0|1"], "for": 7200, "comment": "kn\"own"})");
  ASSERT_TRUE(request) << describe(request.error());
  EXPECT_THAT(request->matchers, ElementsAre(Matcher{"alert.name", {"GpuHot"}},
                                             Matcher{"gpu.index", {"0", "1"}, true}));
  EXPECT_EQ(request->lasts, 2h);
  EXPECT_EQ(request->comment, "kn\"own");
}

TEST(SilenceRequest, AnObjectOfAttributesTakesValuesAsTheyAre) {
  const auto request = parse_silence_request(
      R"({"match": {"alert.name": "Gpu|Hot", "gpu.index": ["0", "1"]}, "for": "1h30m"})");
  ASSERT_TRUE(request) << describe(request.error());
  EXPECT_THAT(request->matchers,
              ElementsAre(Matcher{"alert.name", {"Gpu|Hot"}}, Matcher{"gpu.index", {"0", "1"}}));
  EXPECT_EQ(request->lasts, 90min);
  EXPECT_EQ(request->comment, "");
}

TEST(SilenceRequest, WhatIsWrongIsNamed) {
  EXPECT_THAT(error_of(""), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of("{\"match\":"), HasSubstr("not JSON"));
  EXPECT_THAT(error_of(std::string(20000, ' ') + "{}"), HasSubstr("too long"));
  EXPECT_THAT(error_of(R"({"for": 60})"), HasSubstr("something to match"));
  EXPECT_THAT(error_of(R"({"match": [], "for": 60})"), HasSubstr("something to match"));
  EXPECT_THAT(error_of(R"({"match": "a=b", "for": 60})"), HasSubstr("something to match"));
  EXPECT_THAT(error_of(R"({"match": ["gpu"], "for": 60})"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(error_of(R"({"match": [7], "for": 60})"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(error_of(R"({"match": {"a": 7}, "for": 60})"), HasSubstr("list of strings"));
  EXPECT_THAT(error_of(R"({"match": {"a": []}, "for": 60})"), HasSubstr("list of strings"));
  EXPECT_THAT(error_of(R"({"match": {"": "b"}, "for": 60})"), HasSubstr("list of strings"));
  EXPECT_THAT(error_of(R"({"match": ["a=b"]})"), HasSubstr("needs an end"));
  for (const char* lasts : {"0", "-5", "\"\"", "\"soon\"", "2592001", "\"31d\"", "null", "true",
                            "9223372036854775807", "1e30"}) {
    EXPECT_THAT(error_of(fmt::format(R"({{"match": ["a=b"], "for": {}}})", lasts)),
                HasSubstr("up to 30d"))
        << lasts;
  }
  EXPECT_THAT(error_of(R"({"match": ["a=b"], "for": 60, "coment": "x"})"),
              HasSubstr("did you mean comment?"));
  EXPECT_THAT(error_of(R"({"match": ["a=b"], "for": 60, "comment": 7})"),
              HasSubstr("not a string"));
}

TEST(SilenceRequest, BoundsHold) {
  EXPECT_EQ(error_of(R"({"match": ["a=b"], "for": 2592000})"), "none");
  std::string e_acutes;
  for (int i = 0; i < 500; ++i) e_acutes += "\xc3\xa9";
  EXPECT_EQ(error_of(with_comment(e_acutes)), "none");
  EXPECT_THAT(error_of(with_comment(e_acutes + "x")), HasSubstr("500 characters"));
  std::string list;
  for (int i = 0; i < 21; ++i) list += fmt::format("{}\"a{}=b\"", i == 0 ? "" : ",", i);
  EXPECT_THAT(error_of(fmt::format(R"({{"match":[{}],"for":60}})", list)), HasSubstr("20"));
  std::string object;
  for (int i = 0; i < 21; ++i) object += fmt::format("{}\"a{}\":\"b\"", i == 0 ? "" : ",", i);
  EXPECT_THAT(error_of(fmt::format(R"({{"match":{{{}}},"for":60}})", object)), HasSubstr("20"));
  const std::string lengthy(1100, 'v');
  EXPECT_NE(error_of(fmt::format(R"({{"match":["a={}"],"for":60}})", lengthy)), "none");
  EXPECT_NE(error_of(fmt::format(R"({{"match":{{"a":"{}"}},"for":60}})", lengthy)), "none");
}

TEST(SilenceRequest, TheIdOfTheOneToEnd) {
  EXPECT_EQ(parse_silence_id({{"id", "s1"}}), "s1");
  EXPECT_FALSE(parse_silence_id({}));
  EXPECT_FALSE(parse_silence_id({{"id", ""}}));
  EXPECT_FALSE(parse_silence_id({{"id", "s1"}, {"id", "s2"}}));
  EXPECT_FALSE(parse_silence_id({{"ids", "s1"}}));
}

}  // namespace
}  // namespace warpsight
