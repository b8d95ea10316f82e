#include "platform/dynamic_library.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(DynamicLibrary, CallsAFunctionByItsType) {
  const auto library = DynamicLibrary::open("libm.so.6");
  ASSERT_TRUE(library);
  const auto cosine = library->require<double(double)>("cos");
  ASSERT_TRUE(cosine);
  EXPECT_EQ((*cosine)(0.0), 1.0);
  EXPECT_NE(library->resolved_path().find("/libm.so.6"), std::string::npos);
}

TEST(DynamicLibrary, AMissingSymbolIsNullOrAnErrorThatNamesIt) {
  const auto library = DynamicLibrary::open("libm.so.6");
  ASSERT_TRUE(library);
  EXPECT_EQ(library->symbol<int()>("no_such_symbol"), nullptr);
  const auto required = library->require<int()>("no_such_symbol");
  ASSERT_FALSE(required);
  EXPECT_EQ(required.error().message, "libm.so.6 has no no_such_symbol");
}

TEST(DynamicLibrary, AMissingLibraryIsAnErrorWithAHint) {
  const auto library = DynamicLibrary::open("libno-such-vendor.so.1");
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().message.find("libno-such-vendor.so.1"), std::string::npos);
  EXPECT_FALSE(library.error().hint.empty());
}

TEST(DynamicLibrary, AnEmptyOneHasNoSymbols) {
  const DynamicLibrary none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.symbol<int()>("cos"), nullptr);
  EXPECT_EQ(none.resolved_path(), "");
}

}  // namespace
}  // namespace warpsight
