#include "net/base64.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("\xff\xfe\xfd\xfc"), "//79/A==");
}

TEST(Base64, PaddingMayBeLeftOut) {
  for (const std::string_view text : {"Zg==", "Zg"}) EXPECT_EQ(base64_decode(text), "f");
  for (const std::string_view text : {"Zm8=", "Zm8"}) EXPECT_EQ(base64_decode(text), "fo");
  EXPECT_EQ(base64_decode(""), "");
}

TEST(Base64, BrokenTextIsNothing) {
  for (const std::string_view text :
       {"Z", "Zg=", "Zh", "Z=g=", "Zm9v=", "Zm 9v", "Zm9v\n", "===="}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace warpsight
