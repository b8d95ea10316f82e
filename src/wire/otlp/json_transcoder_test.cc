#include "wire/otlp/json_transcoder.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <otlp_logs.pb.h>

#include <limits>

#include "wire/otlp/encoder_for_test.h"
#include "wire/otlp/logs_encoder.h"

namespace warpsight::otlp {
namespace {

namespace util = google::protobuf::util;
namespace oracle = testing::oracle;

google::protobuf::Struct parsed(const std::string& json) {
  google::protobuf::Struct value;
  const auto status = util::JsonStringToMessage(json, &value);
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << json;
  return value;
}

std::string reference_json(const google::protobuf::Message& message) {
  util::JsonPrintOptions options;
  options.always_print_enums_as_ints = true;
  std::string json;
  EXPECT_TRUE(util::MessageToJsonString(message, &json, options).ok());
  return json;
}

void expect_same(const std::string& ours, const google::protobuf::Message& message) {
  const std::string theirs = reference_json(message);
  EXPECT_TRUE(util::MessageDifferencer::Equals(parsed(ours), parsed(theirs))) << ours << "\n"
                                                                              << theirs;
}

class JsonTranscoderTest : public testing::EncoderTest {
 protected:
  void expect_request_as_reference() {
    const std::vector<std::string> all = requests();
    ASSERT_EQ(all.size(), 1U);
    oracle::MetricsRequest message;
    ASSERT_TRUE(message.ParseFromString(all.front()));
    std::string json;
    ASSERT_TRUE(append_metrics_json(json, all.front()));
    expect_same(json, message);
  }
};

TEST_F(JsonTranscoderTest, MetricsAreAsTheReferenceWritesThem) {
  const EntityId facet =
      entities_.intern(EntityKind::facet, gpu_, {{"quoted", "a\"b\\\n\x01é"}, {"empty", ""}});
  batch_.add(Metric::gpu_power_draw, facet, 0);
  batch_.add(Metric::gpu_utilization, gpu_, 0.1);
  batch_.add(Metric::gpu_memory_used, gpu_, 85899345920.0);
  batch_.add(Metric::gpu_busy_time, gpu_, 1e300);
  add_latency({3, 0, 2, 1}, 31.5);
  publish();
  expect_request_as_reference();
  clock_.advance(std::chrono::seconds{10});
  publish();
  expect_request_as_reference();
}

TEST_F(JsonTranscoderTest, ExponentialHistogramsToo) {
  use({.exponential = true});
  add_latency({3, 0, 2, 1}, 31.5);
  publish();
  expect_request_as_reference();
}

TEST_F(JsonTranscoderTest, LogsToo) {
  const std::vector<Event> events = {
      {clock_.now(), "gpu.xid", Severity::error, gpu_, "XID 79", {{"gpu.xid.code", "79"}}},
      {clock_.now(), "agent.started", Severity::info, kNoEntity, "", {}}};
  std::string bytes;
  append_logs_request(bytes, envelope_, entities_, events, clock_.now());
  oracle::LogsRequest message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  std::string json;
  ASSERT_TRUE(append_logs_json(json, bytes));
  expect_same(json, message);
}

TEST(JsonTranscoder, NumbersThatJsonLacksAreStrings) {
  oracle::MetricsRequest message;
  auto* gauge = message.add_resource_metrics()->add_scope_metrics()->add_metrics()->mutable_gauge();
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    gauge->add_data_points()->set_as_double(value);
  }
  std::string json;
  ASSERT_TRUE(append_metrics_json(json, message.SerializeAsString()));
  expect_same(json, message);
}

TEST(JsonTranscoder, BrokenBytesAreRefused) {
  for (const std::string_view bytes : {"\x0a", "\x0a\x05xx", "\x08\x01", "\x07\x01"}) {
    std::string json;
    EXPECT_FALSE(append_metrics_json(json, bytes)) << bytes;
    EXPECT_FALSE(append_logs_json(json, bytes)) << bytes;
  }
  std::string json;
  EXPECT_TRUE(append_metrics_json(json, ""));
  EXPECT_EQ(json, "{}");
}

}  // namespace
}  // namespace warpsight::otlp
