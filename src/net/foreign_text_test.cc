#include "net/foreign_text.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(PrintableBeginning, IsOneLineOfValidText) {
  EXPECT_EQ(printable_beginning("  too\r\n\tmany   points ", 50), "too many points");
  EXPECT_EQ(printable_beginning("a\x1b[31mred\x00z", 50), "a?[31mred");
  EXPECT_EQ(printable_beginning("caf\xc3\xa9 \xff\xc3", 50), "caf\xc3\xa9 ??");
  EXPECT_EQ(printable_beginning("next\xc2\x85line", 50), "next?line");
  EXPECT_EQ(printable_beginning("", 50), "");
}

TEST(PrintableBeginning, IsCutBetweenCharacters) {
  EXPECT_EQ(printable_beginning("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xc3\xa9...");
  EXPECT_EQ(printable_beginning("abc", 3), "abc");
  EXPECT_EQ(printable_beginning("ab cd", 3), "ab...");
}

TEST(PercentDecode, LeavesWhatIsNoEscape) {
  EXPECT_EQ(percent_decode("quota%20exceeded%3a%C3%A9"), "quota exceeded:\xc3\xa9");
  EXPECT_EQ(percent_decode("100% of %zz %4"), "100% of %zz %4");
  EXPECT_EQ(percent_decode("%"), "%");
  EXPECT_EQ(percent_decode(""), "");
}

}  // namespace
}  // namespace warpsight
