#include "wire/json_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpsight {
namespace {

TEST(JsonText, FindsItsWayDown) {
  JsonText text;
  const auto top = text.parse(R"({"a":{"b":[1,"two",true]},"n":"17"})");
  ASSERT_TRUE(top);
  const Json list = (*top)["a"]["b"];
  ASSERT_TRUE(list.is_array());
  EXPECT_EQ(list.size(), 3U);
  std::vector<std::string> seen;
  list.for_each([&](Json item) {
    seen.push_back(item.integer() ? "number" : item.boolean() ? "truth" : std::string(item.text()));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"number", "two", "truth"}));
  EXPECT_EQ((*top)["n"].integer(), 17);
}

TEST(JsonText, WhatIsNotThereIsNotThereAllTheWayDown) {
  JsonText text;
  const auto top = text.parse(R"({"a":[]})");
  ASSERT_TRUE(top);
  const Json missing = (*top)["x"]["y"]["z"];
  EXPECT_FALSE(missing.exists());
  EXPECT_TRUE(missing.text().empty());
  EXPECT_FALSE(missing.integer());
  EXPECT_FALSE((*top)["a"]["b"].exists());
  missing.for_each([](Json) { FAIL(); });
  missing.for_each_member([](std::string_view, Json) { FAIL(); });
}

TEST(JsonText, NumbersNeedNotBeWhole) {
  JsonText text;
  const auto top = text.parse(R"({"a":0.5,"b":-3,"c":18446744073709551615,"d":"7","e":null})");
  ASSERT_TRUE(top);
  EXPECT_EQ((*top)["a"].number(), 0.5);
  EXPECT_EQ((*top)["b"].number(), -3.0);
  EXPECT_EQ((*top)["c"].number(), 18446744073709551615.0);
  EXPECT_FALSE((*top)["d"].number());
  EXPECT_FALSE((*top)["e"].number());
  EXPECT_FALSE((*top)["f"].number());
}

TEST(JsonText, MembersComeInOrderWithEscapesResolved) {
  JsonText text;
  const auto top = text.parse(R"({"one":"\u00e9\n","two":"b"})");
  ASSERT_TRUE(top);
  std::string seen;
  top->for_each_member([&](std::string_view key, Json value) {
    seen += std::string(key) + "=" + std::string(value.text()) + ";";
  });
  EXPECT_EQ(seen, "one=\xc3\xa9\n;two=b;");
}

TEST(JsonText, RefusesWhatIsNotJsonTooLongOrTooDeep) {
  JsonText text(1000);
  EXPECT_FALSE(text.parse(""));
  EXPECT_FALSE(text.parse("{\"a\":"));
  EXPECT_FALSE(text.parse("{} {}"));
  EXPECT_FALSE(text.parse("\"\xff\xfe\""));
  EXPECT_FALSE(text.parse(std::string(400, '[') + std::string(400, ']')));
  EXPECT_FALSE(text.parse("\"" + std::string(2000, 'a') + "\""));
  EXPECT_TRUE(text.parse("{}")) << "and goes on after all that";
}

}  // namespace
}  // namespace warpsight
