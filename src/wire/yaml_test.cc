#include "wire/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace warpsight {
namespace {

TEST(Yaml, KeepsPlacesAndOrder) {
  const auto root = parse_yaml("b: 1\na:\n  - x\n  - 'y z'\n");
  ASSERT_TRUE(root);
  ASSERT_EQ(root->keys.size(), 2U);
  EXPECT_EQ(root->keys[0].scalar, "b");
  EXPECT_EQ(root->items[1].items[1].scalar, "y z");
  EXPECT_EQ(root->items[1].items[1].place.line, 4);
  EXPECT_EQ(root->items[1].items[1].place.column, 5);
}

TEST(Yaml, AnAliasIsACopyOfItsAnchor) {
  const auto root = parse_yaml("a: &x {k: v}\nb: *x\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->items[1].keys[0].scalar, "k");
  EXPECT_EQ(root->items[1].items[0].scalar, "v");
  EXPECT_EQ(root->items[1].place.line, 2);
}

TEST(Yaml, ABillionLaughsStopAtTheBound) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int n = 0; n < 10; ++n) text += below + (n < 9 ? ", " : "]\n");
  }
  const auto root = parse_yaml(text);
  ASSERT_FALSE(root);
  EXPECT_NE(root.error().message.find("values, aliases counted"), std::string::npos);
  EXPECT_GT(root.error().place.line, 1);
}

TEST(Yaml, DepthIsBoundedAlsoThroughAliases) {
  EXPECT_FALSE(parse_yaml(std::string(100'000, '[')));
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 20; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  const auto root = parse_yaml(text);
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().message, "nested deeper than 16 levels");
}

TEST(Yaml, RefusesWhatNoConfigIs) {
  EXPECT_FALSE(parse_yaml("a: &a [*a]\n"));
  EXPECT_FALSE(parse_yaml("? [a, b]\n: c\n"));
  EXPECT_FALSE(parse_yaml("a: 1\n---\nb: 2\n"));
  EXPECT_FALSE(parse_yaml("a: \"\\q\"\n"));
  EXPECT_FALSE(parse_yaml(std::string(kMaxYamlBytes + 1, ' ')));
}

}  // namespace
}  // namespace warpsight
