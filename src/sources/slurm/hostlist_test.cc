#include "sources/slurm/hostlist.h"

#include <gmock/gmock.h>

namespace warpsight::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::vector<std::string> names(std::string_view list) {
  auto expanded = expand_hostlist(list, 1000);
  return expanded ? *expanded : std::vector<std::string>{"malformed"};
}

TEST(Hostlist, ExpandsAsSlurmDoes) {
  EXPECT_THAT(names("cw-h100-[001-002,220]-x[1-2],login1"),
              ElementsAre("cw-h100-001-x1", "cw-h100-001-x2", "cw-h100-002-x1", "cw-h100-002-x2",
                          "cw-h100-220-x1", "cw-h100-220-x2", "login1"));
  EXPECT_THAT(names("a[1-2][3-4]"), ElementsAre("a13", "a14", "a23", "a24"));
  EXPECT_THAT(names("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(names("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(names("/dev/nvidia[3,1,0,2]"),
              ElementsAre("/dev/nvidia3", "/dev/nvidia1", "/dev/nvidia0", "/dev/nvidia2"));
  EXPECT_THAT(names("rack[1-2]-gpu"), ElementsAre("rack1-gpu", "rack2-gpu"));
  EXPECT_THAT(names("[1-2]"), ElementsAre("1", "2"));
  EXPECT_THAT(names(""), ElementsAre());
}

TEST(Hostlist, EveryNameStandsWhereExpandingPutsIt) {
  for (const char* list : {"cw-h100-[001-004,220]-x[1-3],login1", "a[1-2][3-4],b", "n[02,2],n3",
                           "p[1-11][1-2]", "x[099-101]y[0-1]z,x", "cw-h100-220-037"}) {
    const auto all = names(list);
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t first = static_cast<size_t>(std::ranges::find(all, all[i]) - all.begin());
      EXPECT_THAT(position_in_hostlist(list, all[i]), Optional(first)) << list << " " << all[i];
    }
  }
}

TEST(Hostlist, NamesThatOnlyLookAlikeAreNotThere) {
  const std::string_view list = "cw-h100-[001-004,220]-x[1-3],login1";
  for (const char* name : {"cw-h100-1-x1", "cw-h100-0001-x1", "cw-h100-005-x1", "cw-h100-001-x4",
                           "cw-h100-001-x", "cw-h100-001", "login", "login11", "", "login1,"}) {
    EXPECT_FALSE(position_in_hostlist(list, name)) << name;
  }
}

TEST(Hostlist, ALongListIsNotExpanded) {
  EXPECT_THAT(position_in_hostlist("n[0-99999999999]x[0-99999999]", "n7x3"),
              Optional(uint64_t{7} * 100'000'000 + 3));
  EXPECT_FALSE(expand_hostlist("n[0-99999999999]x[0-99999999]", 1'000'000));
}

TEST(Hostlist, MalformedListsHoldNobody) {
  for (const char* list : {"a[1-2", "a]", "a[]", "a[2-1]", "a[x]", "a[[1]]", "a,,b", ",a", "a,",
                           "a[1-2-3]", "a[-1]", "a[99999999999999999999]"}) {
    EXPECT_FALSE(expand_hostlist(list, 1000)) << list;
    EXPECT_FALSE(position_in_hostlist(list, "a")) << list;
  }
}

}  // namespace
}  // namespace warpsight::slurm
