#include "sources/host/host.h"

#include "sources/host/host_fixture.h"

namespace warpsight {
namespace {

class HostSourceTest : public testing::HostFixture {};

TEST_F(HostSourceTest, OneReaderThatFailsDoesNotStopTheOthers) {
  root_.write("/proc/stat", "rubbish\n");
  root_.write("/proc/loadavg", "0.50 0 0 1/1 1\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_load_average_1m), 0.5);
  EXPECT_EQ(absence(Metric::system_cpu_time), Absence::failed);
  EXPECT_EQ(absence(Metric::system_memory_usage), Absence::unsupported);
}

TEST_F(HostSourceTest, AFailureIsSaidWhenItBeginsAndAgainWhenItReturns) {
  root_.write("/proc/uptime", "1.0 1.0\n");
  root_.write("/proc/loadavg", "rubbish\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(absence(Metric::system_cpu_load_average_1m), Absence::failed);
  ASSERT_TRUE(collect());
  EXPECT_EQ(absence(Metric::system_cpu_load_average_1m), std::nullopt);
  root_.write("/proc/loadavg", "0.50 0 0 1/1 1\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_load_average_1m), 0.5);
  root_.write("/proc/loadavg", "-1\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(absence(Metric::system_cpu_load_average_1m), Absence::failed);
}

TEST_F(HostSourceTest, WhatWasNotThereIsLookedForAgain) {
  root_.write("/proc/uptime", "1.0 1.0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(absence(Metric::system_memory_usage), Absence::unsupported);
  root_.write("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 200 kB\nCached: 300 kB\n");
  ASSERT_TRUE(collect(std::chrono::minutes{1}));
  EXPECT_EQ(testing::count_of(batch_, Metric::system_memory_usage), 3);
}

TEST_F(HostSourceTest, NothingReadableIsAnErrorWithAHint) {
  ASSERT_FALSE(collect());
  const Result<> outcome = collect();
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().hint.find("/proc"), std::string::npos);
}

TEST_F(HostSourceTest, PointsBelongToTheHost) {
  root_.write("/proc/uptime", "7.0 1.0\n");
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.points.size(), 1U);
  EXPECT_EQ(entities_.get(batch_.points[0].entity).kind, EntityKind::host);
  EXPECT_EQ(batch_.points[0].period_ds, 50);
  EXPECT_EQ(batch_.points[0].time, clock_.now());
}

TEST_F(HostSourceTest, ASteadyRunKeepsTheSameEntities) {
  root_.write("/proc/stat", "cpu  1 0 0 4 0 0 0 0\n");
  root_.write("/proc/1/net/dev", "a0: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n");
  ASSERT_TRUE(collect());
  const size_t before = entities_.size();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(collect());
  EXPECT_EQ(entities_.size(), before);
}

TEST_F(HostSourceTest, ReadsThisMachine) {
  context_.root = "/";
  ASSERT_TRUE(collect());
  EXPECT_GT(value(Metric::system_uptime).value_or(0), 0);
  EXPECT_GT(value(Metric::system_memory_usage, "system.memory.state=used").value_or(0), 0);
  EXPECT_GT(value(Metric::system_cpu_time, "cpu.mode=idle").value_or(0), 0);
}

TEST_F(HostSourceTest, DoctorSaysWhatIsMissing) {
  const auto findings = kHostSource.diagnose(context_);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].state, Finding::State::missing);
  EXPECT_FALSE(findings[0].hint.empty());
}

}  // namespace
}  // namespace warpsight
