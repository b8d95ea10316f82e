#include "runtime/probe_wire.h"

#include <gtest/gtest.h>

#include <cstring>

namespace warpsight::probe {
namespace {

class ProbeWireTest : public testing::Test {
 protected:
  // Sends the batch from the child's side to the parent's.
  Result<Result<>> transfer(const Result<>& outcome = {}) {
    std::string bytes;
    encoder.encode(sent, outcome, bytes);
    sent.clear();
    received.clear();
    std::memcpy(reader.room(bytes.size()), bytes.data(), bytes.size());
    reader.filled(bytes.size());
    Frame frame;
    EXPECT_TRUE(reader.next(frame).value_or(false));
    payload = frame.payload;
    return decoder.decode(payload, received);
  }

  EntityTable theirs;
  EntityTable ours;
  BatchEncoder encoder{theirs};
  BatchDecoder decoder{ours};
  FrameReader reader;
  Batch sent;
  Batch received;
  std::string payload;
};

TEST_F(ProbeWireTest, PointsArriveAboutTheSameThing) {
  // Ids differ on the two sides: only the attributes are the thing's identity.
  ours.intern(EntityKind::host, kNoEntity, {{"unrelated", "1"}});
  const EntityId gpu = theirs.intern(EntityKind::gpu, kNoEntity, {{"gpu.uuid", "GPU-1"}});
  const EntityId sm = theirs.intern(EntityKind::facet, gpu, {{"gpu.clock.type", "sm"}});
  const Time when{std::chrono::seconds{99}};
  sent.begin(when, std::chrono::seconds{2});
  sent.add(Metric::gpu_clock_frequency, sm, 1.98e9);
  ASSERT_TRUE(transfer()->has_value());

  ASSERT_EQ(received.points.size(), 1U);
  const Point& point = received.points[0];
  EXPECT_EQ(point.metric, Metric::gpu_clock_frequency);
  EXPECT_EQ(point.time, when);
  EXPECT_EQ(point.period_ds, 20);
  EXPECT_DOUBLE_EQ(point.value, 1.98e9);
  EXPECT_EQ(ours.attribute(point.entity, "gpu.uuid"), "GPU-1");
  EXPECT_EQ(ours.attribute(point.entity, "gpu.clock.type"), "sm");
}

TEST_F(ProbeWireTest, EntitiesAreSpelledOutOnce) {
  const EntityId gpu = theirs.intern(EntityKind::gpu, kNoEntity, {{"gpu.uuid", "GPU-1"}});
  sent.add(Metric::gpu_power_draw, gpu, 1);
  ASSERT_TRUE(transfer()->has_value());
  const size_t first = payload.size();
  sent.add(Metric::gpu_power_draw, gpu, 2);
  ASSERT_TRUE(transfer()->has_value());
  EXPECT_LT(payload.size(), first);
  EXPECT_EQ(ours.attribute(received.points[0].entity, "gpu.uuid"), "GPU-1");
}

TEST_F(ProbeWireTest, AFailedRunKeepsWhatWasReadAndSaysWhy) {
  const EntityId gpu = theirs.intern(EntityKind::gpu, kNoEntity, {{"gpu.uuid", "GPU-1"}});
  sent.add(Metric::gpu_power_draw, gpu, 1);
  const auto outcome = transfer(fail("driver not loaded", "load it"));
  ASSERT_TRUE(outcome.has_value());
  ASSERT_FALSE(outcome->has_value());
  EXPECT_EQ(describe(outcome->error()), "driver not loaded; load it");
  EXPECT_EQ(received.points.size(), 1U);
}

TEST_F(ProbeWireTest, AbsencesEventsAndEndsArrive) {
  const EntityId gpu = theirs.intern(EntityKind::gpu, kNoEntity, {{"gpu.uuid", "GPU-1"}});
  const EntityId process = theirs.intern(EntityKind::process, gpu, {{"process.pid", "7"}});
  sent.add(Metric::gpu_process_memory_used, process, 1);
  ASSERT_TRUE(transfer()->has_value());
  const EntityId ours_process = received.points[0].entity;

  sent.missing(Metric::gpu_fan_speed, gpu, Absence::unsupported, "Not Supported");
  sent.events.push_back({Time{}, "gpu.lost", Severity::error, gpu, "gone", {{"k", "v"}}});
  sent.gone.push_back(process);
  ASSERT_TRUE(transfer()->has_value());
  ASSERT_EQ(received.absences.size(), 1U);
  EXPECT_EQ(received.absences[0].detail, "Not Supported");
  ASSERT_EQ(received.events.size(), 1U);
  EXPECT_EQ(received.events[0].severity, Severity::error);
  EXPECT_EQ(received.events[0].attribute("k"), "v");
  EXPECT_EQ(received.gone, std::vector<EntityId>{ours_process});
  EXPECT_FALSE(theirs.alive(process));
  EXPECT_EQ(decoder.known().size(), 1U);
}

TEST_F(ProbeWireTest, AnyCutOffReplyIsRefused) {
  const EntityId gpu = theirs.intern(EntityKind::gpu, kNoEntity, {{"gpu.uuid", "GPU-1"}});
  sent.add(Metric::gpu_power_draw, gpu, 1);
  sent.events.push_back({Time{}, "e", Severity::info, gpu, "m", {{"k", "v"}}});
  ASSERT_TRUE(transfer()->has_value());
  for (size_t length = 0; length < payload.size(); ++length) {
    Batch scratch;
    EXPECT_FALSE(decoder.decode(payload.substr(0, length), scratch).has_value()) << length;
  }
}

TEST_F(ProbeWireTest, FramesAreCutFromAnyPiecesOfTheStream) {
  std::string stream;
  append_frame(FrameType::admit, "first", stream);
  append_frame(FrameType::admit, "second", stream);
  std::vector<std::string> found;
  for (const char byte : stream) {
    *reader.room(1) = byte;
    reader.filled(1);
    for (Frame frame; reader.next(frame).value();) found.emplace_back(frame.payload);
  }
  EXPECT_EQ(found, (std::vector<std::string>{"first", "second"}));
}

TEST_F(ProbeWireTest, AnImpossibleFrameLengthIsAnError) {
  const uint32_t length = 0xffffffff;
  std::memcpy(reader.room(sizeof(length)), &length, sizeof(length));
  reader.filled(sizeof(length));
  Frame frame;
  EXPECT_FALSE(reader.next(frame).has_value());
}

TEST(ProbeStart, SurvivesTheTrip) {
  Start start{"/host", "/var/lib/w", "8xh100", {"a", "b"}, {}, {{"gpm", "false"}}};
  const auto decoded = decode_start(encode_start(start));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->root, "/host");
  EXPECT_EQ(decoded->skip_devices, start.skip_devices);
  EXPECT_EQ(decoded->options, start.options);
  EXPECT_FALSE(decode_start("nonsense").has_value());
}

}  // namespace
}  // namespace warpsight::probe
