#include "wire/prometheus_text/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace warpsight::prometheus_text {
namespace {

// Both by their bits, so that -0 is not 0.
void expect_as_the_c_library(const std::string& text) {
  double value = -1;
  ASSERT_TRUE(parse_number(text, value)) << text;
  EXPECT_EQ(std::bit_cast<uint64_t>(value),
            std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr)))
      << text;
}

TEST(PrometheusTextNumber, RoundsAsTheCLibraryDoes) {
  const std::vector<std::string> tricky = {"0",
                                           "-0",
                                           "+0",
                                           "1",
                                           "-1",
                                           "00001",
                                           "1.",
                                           ".5",
                                           "-.5e1",
                                           "1e0",
                                           "1E+2",
                                           "1e-2",
                                           "0.1",
                                           "0.3",
                                           "9007199254740991",
                                           "9007199254740992",
                                           "9007199254740993",
                                           "9007199254740993.0",
                                           "9007199254740992.99999999999999999",
                                           "9007199254740995e-1",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "9223372036854775794",
                                           "140737488355328.0",
                                           "99999999999999999999999",
                                           "1e22",
                                           "1e23",
                                           "8.41e21",
                                           "9.5e22",
                                           "123456789012345678901234567890e-20",
                                           "2.2250738585072014e-308",
                                           "2.2250738585072011e-308",
                                           "4.9406564584124654e-324",
                                           "2.4703282292062328e-324",
                                           "2.4703282292062327e-324",
                                           "1.7976931348623157e308",
                                           "1.7976931348623158e308",
                                           "1.797693134862315807e308",
                                           "1e-400",
                                           "-1e-400",
                                           "1e-2000000000",
                                           "0e999999999999",
                                           "0.000000000000000000000000000000000000000000000001",
                                           "0000000000000000000000000000000000001.2e-1",
                                           "1000000000000000000000000000000000000000000000000e-48",
                                           "0.013300656000000001",
                                           "1.520430000123e+09",
                                           "7.2057594037927933e16",
                                           "5708990770823839524233143877797980545530986496",
                                           "12345678901234567890.1234567890",
                                           "6.02214076e23",
                                           "123456789.123456789",
                                           "4503599627370496.5",
                                           "4503599627370497.5",
                                           "1448997445238699",
                                           "999999999999999",
                                           "1000000000000000"};
  for (const std::string& text : tricky) expect_as_the_c_library(text);
}

TEST(PrometheusTextNumber, RoundsRandomNumbersAsTheCLibraryDoes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    char text[400];
    const auto shortest = std::to_chars(text, text + sizeof text, value);
    expect_as_the_c_library(std::string(text, shortest.ptr));
    const double small = static_cast<double>(static_cast<int64_t>(random() % 1'000'000'000)) / 1e4;
    const int digits = static_cast<int>(random() % 20);
    const auto fixed =
        std::to_chars(text, text + sizeof text, small, std::chars_format::fixed, digits);
    expect_as_the_c_library(std::string(text, fixed.ptr));
    const auto exponent =
        std::to_chars(text, text + sizeof text, small, std::chars_format::scientific, digits);
    expect_as_the_c_library(std::string(text, exponent.ptr));
    expect_as_the_c_library(std::to_string(random()) + "e" + std::to_string(random() % 60));
    expect_as_the_c_library(std::to_string(random()) + "e-" + std::to_string(random() % 330));
  }
}

TEST(PrometheusTextNumber, KnowsInfinityAndNaN) {
  double value = 0;
  for (const char* text : {"Inf", "+Inf", "inf", "INFINITY", "+infinity"}) {
    ASSERT_TRUE(parse_number(text, value)) << text;
    EXPECT_EQ(value, HUGE_VAL) << text;
  }
  ASSERT_TRUE(parse_number("-Inf", value));
  EXPECT_EQ(value, -HUGE_VAL);
  for (const char* text : {"NaN", "nan", "NAN", "-nan"}) {
    ASSERT_TRUE(parse_number(text, value)) << text;
    EXPECT_TRUE(std::isnan(value)) << text;
  }
  EXPECT_TRUE(is_strict_number("NaN"));
  EXPECT_FALSE(is_strict_number("-nan"));
  EXPECT_FALSE(is_real_number("NaN"));
}

TEST(PrometheusTextNumber, RefusesWhatPrometheusRefuses) {
  double value = 0;
  for (const char* text : {"",
                           "+",
                           "-",
                           ".",
                           "+.",
                           "e5",
                           "1e",
                           "1e+",
                           "1_000",
                           "0x1",
                           "0x1p-3",
                           "0X1P3",
                           "0b1",
                           "0o7",
                           "1.1.1",
                           "1,5",
                           "--1",
                           "+-1",
                           "1f",
                           "infin",
                           "in",
                           "nano",
                           "true",
                           " 1",
                           "1 ",
                           "1e400",
                           "-1e309",
                           "1.7976931348623159e308",
                           "\xef\xbc\x91"}) {
    EXPECT_FALSE(parse_number(text, value)) << text;
  }
}

TEST(PrometheusTextNumber, KnowsAClassicTimestamp) {
  int64_t time = 0;
  EXPECT_TRUE(parse_classic_timestamp("-9223372036854775808", time));
  EXPECT_EQ(time, INT64_MIN);
  EXPECT_TRUE(parse_classic_timestamp("+12", time));
  EXPECT_EQ(time, 12);
  for (const char* text : {"", "+", "+-1", "1.0", "9223372036854775808", "1x"}) {
    EXPECT_FALSE(parse_classic_timestamp(text, time)) << text;
  }
}

}  // namespace
}  // namespace warpsight::prometheus_text
