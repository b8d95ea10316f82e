#include "core/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace warpsight {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"publish_interval", "listen", "log.level",
                                                    "state_dir"};

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("listen", "listen"), 0U);
  EXPECT_EQ(edit_distance("Listen", "listen"), 0U);
  EXPECT_EQ(edit_distance("lisen", "listen"), 1U);
  EXPECT_EQ(edit_distance("lisetn", "listen"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(EditDistance, BoundsHostileNames) {
  EXPECT_LE(edit_distance(std::string(1'000'000, 'x'), "listen"), 64U);
}

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("publish_intervall", kNames), "publish_interval");
  EXPECT_EQ(nearest("lsiten", kNames), "listen");
  EXPECT_EQ(nearest("statedir", kNames), "state_dir");
}

TEST(Nearest, SuggestsNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("database", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest("listen", {}), "");
}

}  // namespace
}  // namespace warpsight
