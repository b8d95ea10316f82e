#include "sources/processes/user_names.h"

#include <gtest/gtest.h>

#include "sources/sysfs/fake_root.h"

namespace warpsight::processes {
namespace {

using warpsight::testing::FakeRoot;

TEST(UserNames, ANumberWithoutANameStaysANumber) {
  const FakeRoot root;
  UserNames users(root.path());
  users.refresh();
  EXPECT_EQ(users.name(1000), "1000");
  root.write("/etc/passwd",
             "root:x:0:0\nada:x:1000:1000:A,B:/home:/bin/sh\nlater:x:1000:1\n"
             "+::::::\nbad:x:no:1\nwith blank:x:5:5\nwild\x1b[31m:x:6:6\nshort:x\n");
  users.refresh();
  EXPECT_EQ(users.name(0), "root");
  EXPECT_EQ(users.name(1000), "ada");
  EXPECT_EQ(users.name(5), "5");
  EXPECT_EQ(users.name(6), "6");
}

TEST(UserNames, TheFileIsReadAgainOnlyWhenItChanged) {
  const FakeRoot root;
  root.write("/etc/passwd", "ada:x:1000:1000\n");
  UserNames users(root.path());
  users.refresh();
  users.refresh();
  EXPECT_EQ(users.files_read(), 1U);
  root.write("/etc/passwd", "ada:x:1000:1000\ngrace:x:1001:1001\n");
  users.refresh();
  EXPECT_EQ(users.name(1001), "grace");
  EXPECT_EQ(users.files_read(), 2U);
}

TEST(UserNames, AFileThatIsTooLargeGivesNumbers) {
  const FakeRoot root;
  root.write("/etc/passwd", "ada:x:1000:1000\n" + std::string(UserNames::kMaxFile, '\n'));
  UserNames users(root.path());
  users.refresh();
  EXPECT_EQ(users.name(1000), "1000");
}

}  // namespace
}  // namespace warpsight::processes
