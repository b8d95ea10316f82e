#include "sources/slurm/gres_text.h"

#include <gmock/gmock.h>

namespace warpsight::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GresText, NamesTypesAndIndices) {
  const auto all = parse_gres("gpu:a100:2(IDX:0-1),gpu:h100:1(IDX:2),shard:4(IDX:3)");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].type, "a100");
  EXPECT_THAT(all[0].indices, ElementsAre(0U, 1U));
  EXPECT_THAT(all[1].indices, ElementsAre(2U));
  EXPECT_TRUE(all[2].is_share());
  EXPECT_EQ(all[2].type, "");
  EXPECT_THAT(all[2].indices, ElementsAre(3U));
}

TEST(GresText, OldAndEmptyForms) {
  EXPECT_THAT(parse_gres("gpu(IDX:0,2-3)").front().indices, ElementsAre(0U, 2U, 3U));
  EXPECT_THAT(parse_gres("gpu:a100:0(IDX:)").front().indices, IsEmpty());
  EXPECT_THAT(parse_gres("gpu:h100:0(IDX:N/A)").front().indices, IsEmpty());
  EXPECT_THAT(parse_gres("craynetwork(CNT:4)").front().indices, IsEmpty());
  EXPECT_THAT(parse_gres(""), IsEmpty());
  EXPECT_THAT(parse_gres("(null)"), IsEmpty());
}

TEST(GresText, TypesOfANode) {
  const auto all = parse_gres("gpu:a100:2(S:0-1),gpu:h100,gpu:4,mps:2K,gpu:no_consume:1");
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].type, "a100");
  EXPECT_EQ(all[1].type, "h100");
  EXPECT_EQ(all[2].type, "");
  EXPECT_EQ(all[3].type, "");
  EXPECT_EQ(all[4].type, "");
}

TEST(GresText, NumbersNoNodeHasAreLeftOut) {
  EXPECT_THAT(parse_indices("0-4000000000,5,x,7-6,99999999999"), ElementsAre(5U));
}

}  // namespace
}  // namespace warpsight::slurm
