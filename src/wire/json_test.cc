#include "wire/json.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "wire/number.h"
#include "wire/utf8.h"

namespace warpsight {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string number(double value) {
  std::string out;
  append_json_number(out, value);
  return out;
}

TEST(Json, ObjectsAndArraysNest) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("a", 1).field("b", "x").key("c").begin_array();
  json.value(true).value(0.5).null().begin_object().end_object().end_array();
  json.field("d", uint64_t{18446744073709551615U}).end_object();
  EXPECT_EQ(out, R"({"a":1,"b":"x","c":[true,0.5,null,{}],"d":18446744073709551615})");
}

TEST(Json, ControlCharactersAndQuotesAreEscaped) {
  EXPECT_EQ(quoted("a\"b\\c\n\r\t\x01\x7f"), R"("a\"b\\c\n\r\t\u0001\u007f")");
  EXPECT_EQ(quoted(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(Json, Utf8PassesAndGarbageIsReplaced) {
  EXPECT_EQ(quoted("100 × µ €"), "\"100 × µ €\"");
  EXPECT_EQ(quoted("\xf0\x9f\x9a\x80"), "\"\xf0\x9f\x9a\x80\"");
  EXPECT_EQ(quoted("a\xff z"), "\"a\xef\xbf\xbd z\"");
  EXPECT_EQ(quoted("\xc3"), "\"\xef\xbf\xbd\"") << "cut off at the end";
  EXPECT_EQ(quoted("\xe2\x82x"), "\"\xef\xbf\xbdx\"") << "one mark for one broken character";
  EXPECT_EQ(quoted("\xed\xa0\x80"), quoted("\xff\xff\xff")) << "a surrogate is no character";
  EXPECT_EQ(quoted("\xc0\xaf"), quoted("\xff\xff")) << "overlong";
}

TEST(Json, NumbersReadBackExactly) {
  for (const double value : {0.1, 1.0 / 3, 6.02214076e23, 5e-324, 1.7976931348623157e308, -2.5,
                             9007199254740993.0, 1234567.891}) {
    const std::string text = number(value);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    EXPECT_EQ(read, value) << text;
  }
}

TEST(Json, WholeNumbersHaveNoExponent) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(85899345920), "85899345920");
  EXPECT_EQ(number(-40), "-40");
}

TEST(Json, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(number(std::nan("")), "null");
  EXPECT_EQ(number(-std::numeric_limits<double>::infinity()), "null");
}

}  // namespace
}  // namespace warpsight
