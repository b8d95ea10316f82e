#include "sources/sysfs/directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "sources/sysfs/device_set.h"
#include "sources/sysfs/fake_root.h"
#include "sources/sysfs/text.h"

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names_in(Directory& directory) {
  std::vector<std::string> names;
  EXPECT_EQ(directory.for_each([&](std::string_view name) { names.emplace_back(name); }), 0);
  return names;
}

TEST(Directory, ListsWhatIsThereNow) {
  const testing::FakeRoot root;
  root.write("/bus/a", "");
  Directory directory(root.path() + "/bus");
  EXPECT_THAT(names_in(directory), ElementsAre("a"));
  root.write("/bus/b", "");
  EXPECT_THAT(names_in(directory), UnorderedElementsAre("a", "b"));
}

TEST(Directory, IsFoundAgainAfterItWasRemoved) {
  const testing::FakeRoot root;
  root.write("/bus/a", "");
  Directory directory(root.path() + "/bus");
  names_in(directory);
  root.remove("/bus");
  EXPECT_THAT(names_in(directory), ElementsAre());
  EXPECT_EQ(directory.for_each([](std::string_view) {}), ENOENT);
  root.write("/bus/c", "");
  EXPECT_THAT(names_in(directory), ElementsAre("c"));
}

TEST(TinyFiles, HoldOneNumber) {
  const testing::FakeRoot root;
  root.write("/vendor", "0x10de\n");
  root.write("/count", "42\n");
  root.write("/junk", "N/A\n");
  EXPECT_EQ(read_number_file((root.path() + "/vendor").c_str(), 16), 0x10deU);
  EXPECT_EQ(read_number_file((root.path() + "/count").c_str()), 42U);
  EXPECT_EQ(read_number_file((root.path() + "/junk").c_str()), std::nullopt);
  EXPECT_EQ(read_number_file((root.path() + "/none").c_str()), std::nullopt);
  EXPECT_EQ(read_number_file(root.path().c_str()), std::nullopt);
}

TEST(TinyFiles, NameTheTargetOfALink) {
  const testing::FakeRoot root;
  root.link("/driver", "../../bus/pci/drivers/nvidia");
  EXPECT_EQ(link_target_name(root.path() + "/driver"), "nvidia");
  EXPECT_EQ(link_target_name(root.path() + "/none"), "");
}

TEST(DeviceSet, TellsWhatCameAndWhatWent) {
  DeviceSet<int> set(2);
  int made = 0;
  const auto make = [&](std::string_view) { return ++made; };
  std::vector<int> gone;
  const auto end = [&](int device) { gone.push_back(device); };

  set.begin();
  EXPECT_EQ(*set.visit("a", make), 1);
  EXPECT_EQ(*set.visit("b", make), 2);
  EXPECT_EQ(set.visit("c", make), nullptr);
  EXPECT_EQ(set.refused(), 1U);
  set.sweep(end);
  EXPECT_TRUE(gone.empty());

  set.begin();
  EXPECT_EQ(*set.visit("b", make), 2);
  set.sweep(end);
  EXPECT_THAT(gone, ElementsAre(1));
  EXPECT_EQ(set.size(), 1U);
}

TEST(Text, TakesWordsAndNumbersApart) {
  std::string_view text = "  cpu 12\t-3 99999999999999999999 x\nnext";
  std::string_view line = next_line(text);
  EXPECT_EQ(text, "next");
  EXPECT_EQ(next_word(line), "cpu");
  EXPECT_EQ(next_number(line), 12U);
  EXPECT_EQ(next_number(line), std::nullopt);  // negative
  EXPECT_EQ(next_number(line), std::nullopt);  // too large
  EXPECT_EQ(next_word(line), "x");
  EXPECT_EQ(next_word(line), "");
  EXPECT_EQ(to_real("0.25"), 0.25);
  EXPECT_EQ(to_real("1,5"), std::nullopt);
  EXPECT_EQ(to_real("nan"), std::nullopt);
}

}  // namespace
}  // namespace warpsight
