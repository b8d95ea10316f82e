#include "core/matcher.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

const std::vector<Attribute> kEdge = {{"gpu.index", "0"}, {"sensor", "edge"}};

bool picks(std::string_view text) { return matches(parse_matcher(text).value(), kEdge); }

TEST(Matcher, PicksByOneOrSeveralValues) {
  EXPECT_TRUE(picks("gpu.index=0"));
  EXPECT_FALSE(picks("gpu.index=1"));
  EXPECT_TRUE(picks("sensor=memory|edge"));
  EXPECT_FALSE(picks("sensor=memory|hotspot"));
}

TEST(Matcher, NegationLeavesOut) {
  EXPECT_FALSE(picks("sensor!=edge"));
  EXPECT_TRUE(picks("sensor!=memory|hotspot"));
}

TEST(Matcher, AnAttributeThatIsNotThereIsEmpty) {
  EXPECT_TRUE(picks("owner="));
  EXPECT_TRUE(picks("owner!=alice"));
  EXPECT_FALSE(picks("sensor="));
}

TEST(Matcher, AValueMayHoldAnEqualsSign) {
  EXPECT_EQ(parse_matcher("a=b=c")->values, std::vector<std::string>{"b=c"});
}

TEST(Matcher, SaysItselfAgain) {
  for (const std::string_view text : {"a=b", "a!=b|c", "a="}) {
    EXPECT_EQ(to_string(parse_matcher(text).value()), text);
  }
}

TEST(Matcher, NonsenseIsRefusedWithTheForm) {
  for (const std::string_view text : {"", "key", "=value", "!=value"}) {
    const auto parsed = parse_matcher(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().hint.find("KEY=VALUE"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpsight
