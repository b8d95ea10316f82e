#include "wire/otlp/response.h"

#include <gtest/gtest.h>
#include <otlp_metrics.pb.h>

#include <string>

namespace warpsight::otlp {
namespace {

std::string response(int64_t rejected, const std::string& words) {
  oracle::otlp::MetricsResponse message;
  message.mutable_partial_success()->set_rejected_data_points(rejected);
  message.mutable_partial_success()->set_error_message(words);
  return message.SerializeAsString();
}

TEST(Response, NothingSaidIsSuccess) {
  const auto plain = decode_response("");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->rejected, 0U);
  EXPECT_EQ(plain->words, "");
  for (const char* json :
       {"", " \n", "{}", "{\"partialSuccess\":{}}", "{\"partialSuccess\":null}"}) {
    const auto same = decode_json_response(json);
    ASSERT_TRUE(same) << json;
    EXPECT_EQ(same->rejected, 0U) << json;
  }
}

TEST(Response, TellsWhatWasNotTaken) {
  const auto partial = decode_response(response(7, "too\nmany"));
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->rejected, 7U);
  EXPECT_EQ(partial->words, "too\nmany");
  const auto negative = decode_response(response(-7, ""));
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->rejected, 0U);
}

TEST(Response, TellsItInJsonToo) {
  const auto points = decode_json_response(
      R"( {"other": [1, {"a": "}"}, null, true], "partialSuccess":
          {"rejectedDataPoints": "12", "errorMessage": "a\"\u00e9\ud83d\ude00\ud83d\n"}} )");
  ASSERT_TRUE(points);
  EXPECT_EQ(points->rejected, 12U);
  EXPECT_EQ(points->words, "a\"é\xf0\x9f\x98\x80\xef\xbf\xbd\n");
  const auto records = decode_json_response(R"({"partialSuccess":{"rejectedLogRecords":3}})");
  ASSERT_TRUE(records);
  EXPECT_EQ(records->rejected, 3U);
}

TEST(Response, OtherBytesAreNoResponse) {
  EXPECT_FALSE(decode_response("<html>hello</html>"));
  EXPECT_FALSE(decode_response("\x08\x01"));
  for (const char* json : {"<html>", "{", "[]", "{\"a\":1,}x", "{\"partialSuccess\":[]}", "{} {}",
                           R"({"partialSuccess":{"rejectedDataPoints":"many"}})", R"({"a":"\q"})",
                           R"({"a":"\u12"})"}) {
    EXPECT_FALSE(decode_json_response(json)) << json;
  }
  std::string deep = "{\"a\":";
  deep.append(100'000, '[');
  EXPECT_FALSE(decode_json_response(deep));
}

}  // namespace
}  // namespace warpsight::otlp
