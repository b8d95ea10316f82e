#include "wire/otlp/logs_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otlp_logs.pb.h>

namespace warpsight::otlp {
namespace {

namespace oracle = ::oracle::otlp;

TEST(LogsEncoder, AnEventIsALogRecord) {
  EntityTable entities;
  const EntityId gpu =
      entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "3"}, {".pci", "x"}});
  const std::vector<Attribute> resource = {{"host.name", "node1"}};
  const Envelope envelope(resource, "1.2.3");
  const Time time{std::chrono::seconds{1'700'000'000}};
  const std::vector<Event> events = {
      {time, "gpu.xid", Severity::error, gpu, "XID 79", {{"gpu.xid.code", "79"}, {".pid", "1"}}},
      {time, "a", Severity::warning, gpu, "m", {{"gpu.index", "of the event"}}},
      {time, "b", Severity::info, kNoEntity, "m", {}}};
  std::string bytes;
  append_logs_request(bytes, envelope, entities, events, time + std::chrono::seconds{1});

  oracle::LogsRequest request;
  ASSERT_TRUE(request.ParseFromString(bytes));
  EXPECT_EQ(request.ByteSizeLong(), bytes.size());
  const oracle::ResourceLogs& logs = request.resource_logs(0);
  EXPECT_EQ(logs.resource().attributes(0).value().string_value(), "node1");
  EXPECT_EQ(logs.scope_logs(0).scope().name(), "warpsight");
  ASSERT_EQ(logs.scope_logs(0).log_records_size(), 3);
  const oracle::LogRecord& first = logs.scope_logs(0).log_records(0);
  EXPECT_EQ(first.time_unix_nano(), 1'700'000'000'000'000'000U);
  EXPECT_EQ(first.observed_time_unix_nano(), 1'700'000'001'000'000'000U);
  EXPECT_EQ(first.severity_number(), 17);
  EXPECT_EQ(first.severity_text(), "error");
  EXPECT_EQ(first.body().string_value(), "XID 79");
  EXPECT_EQ(first.event_name(), "gpu.xid");
  ASSERT_EQ(first.attributes_size(), 2);
  EXPECT_EQ(first.attributes(0).key(), "gpu.index");
  EXPECT_EQ(first.attributes(1).key(), "gpu.xid.code");
  EXPECT_EQ(first.attributes(1).value().string_value(), "79");
  const oracle::LogRecord& second = logs.scope_logs(0).log_records(1);
  EXPECT_EQ(second.severity_number(), 13);
  ASSERT_EQ(second.attributes_size(), 1);
  EXPECT_EQ(second.attributes(0).value().string_value(), "of the event");
  EXPECT_EQ(logs.scope_logs(0).log_records(2).severity_number(), 9);
}

}  // namespace
}  // namespace warpsight::otlp
