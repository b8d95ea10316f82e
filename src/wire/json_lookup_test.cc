#include "wire/json_lookup.h"

#include <gtest/gtest.h>

#include <array>

namespace warpsight {
namespace {

TEST(JsonString, IsFoundInWhatIsWholeAndInWhatIsCut) {
  constexpr std::array<std::string_view, 1> kVersionWay = {"version"};
  EXPECT_EQ(json_string(R"( {"a":[{"version":"no"}],"version":"a\"b\u00e9"} )", kVersionWay),
            "a\"b?");
  EXPECT_EQ(json_string(R"({"version":"1","rest":[1,2)", kVersionWay), "1");
  EXPECT_EQ(json_string(R"({"version":1})", kVersionWay), std::nullopt);
  EXPECT_EQ(json_string(R"({"version":"1)", kVersionWay), std::nullopt);
  EXPECT_EQ(json_string(R"({"a":{"version":"1"}})", kVersionWay), std::nullopt);
  EXPECT_EQ(json_string(R"("version")", kVersionWay), std::nullopt);
  EXPECT_EQ(json_string("", kVersionWay), std::nullopt);
  EXPECT_EQ(json_string(std::string(100'000, '['), kVersionWay), std::nullopt);
  constexpr std::array<std::string_view, 2> kFirst = {"0", "id"};
  EXPECT_EQ(json_string(R"([{"id":"x"}])", kFirst), "x");
  EXPECT_EQ(json_string("[]", kFirst), std::nullopt);
}

}  // namespace
}  // namespace warpsight
