#include "analysis/xid_codes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/places.h"

namespace warpsight {
namespace {

TEST(XidCodes, TellsWhoIsUsuallyAtFault) {
  ASSERT_NE(find_xid(79), nullptr);
  EXPECT_EQ(find_xid(79)->fault, XidFault::hardware);
  EXPECT_EQ(find_xid(79)->severity, Severity::error);
  EXPECT_EQ(find_xid(31)->fault, XidFault::application);
  EXPECT_EQ(find_xid(119)->fault, XidFault::driver);
  EXPECT_EQ(find_xid(74)->fault, XidFault::fabric);
}

TEST(XidCodes, DoesNotInventWhatItDoesNotKnow) {
  EXPECT_EQ(find_xid(0), nullptr);
  EXPECT_EQ(find_xid(138), nullptr);
  EXPECT_EQ(find_xid(4'000'000), nullptr);
}

TEST(XidCodes, EveryRowSaysWhatToDoAndFitsATable) {
  for (const XidCode& xid : xid_codes()) {
    EXPECT_FALSE(xid.meaning.empty()) << xid.code;
    EXPECT_FALSE(xid.action.empty()) << xid.code;
    EXPECT_EQ(xid.meaning.find('|'), std::string_view::npos) << xid.code;
    EXPECT_EQ(xid.action.find('|'), std::string_view::npos) << xid.code;
    EXPECT_FALSE(to_string(xid.fault).empty()) << xid.code;
  }
}

TEST(XidCodes, TheDocumentIsUpToDate) {
  const std::string path = std::string(WARPSIGHT_SOURCE_DIR) + "/docs/xids.md";
  std::ostringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), xid_markdown()) << "run: warpsight metrics --xids > docs/xids.md";
}

}  // namespace
}  // namespace warpsight
