#include "sources/host/host_fixture.h"

namespace warpsight {
namespace {

// The tests assume the usual hundred ticks a second.
class HostCpu : public testing::HostFixture {};

TEST_F(HostCpu, TimesAreSecondsByMode) {
  root_.write("/proc/stat",
              "cpu  1000 200 300 40000 50 6 7 80 500 20\n"
              "cpu0 1000 200 300 40000 50 6 7 80 500 20\n"
              "intr 123 0 0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=user"), 10.0);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=nice"), 2.0);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=system"), 3.0);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=idle"), 400.0);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=iowait"), 0.5);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=interrupt"), 0.13);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=steal"), 0.8);
}

TEST_F(HostCpu, UtilizationIsTheShareSinceTheRunBefore) {
  root_.write("/proc/stat", "cpu  1000 0 0 9000 0 0 0 0 0 0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(testing::count_of(batch_, Metric::system_cpu_utilization), 0);

  root_.write("/proc/stat", "cpu  1300 0 100 9600 0 0 0 0 0 0\n");
  ASSERT_TRUE(collect());
  EXPECT_DOUBLE_EQ(value(Metric::system_cpu_utilization, "cpu.mode=user").value_or(-1), 0.3);
  EXPECT_DOUBLE_EQ(value(Metric::system_cpu_utilization, "cpu.mode=system").value_or(-1), 0.1);
  EXPECT_DOUBLE_EQ(value(Metric::system_cpu_utilization, "cpu.mode=idle").value_or(-1), 0.6);
}

TEST_F(HostCpu, ACounterThatWobblesBackDoesNotFall) {
  root_.write("/proc/stat", "cpu  1000 0 0 9000 500 0 0 0\n");
  ASSERT_TRUE(collect());
  root_.write("/proc/stat", "cpu  1100 0 0 9100 490 0 0 0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=iowait"), 5.0);
  EXPECT_EQ(value(Metric::system_cpu_utilization, "cpu.mode=iowait"), 0.0);
}

TEST_F(HostCpu, CountersThatStartAnewGiveNoUtilization) {
  root_.write("/proc/stat", "cpu  100000 0 0 900000 0 0 0 0\n");
  ASSERT_TRUE(collect());
  root_.write("/proc/stat", "cpu  10 0 0 90 0 0 0 0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=user"), 0.1);
  EXPECT_EQ(testing::count_of(batch_, Metric::system_cpu_utilization), 0);
}

TEST_F(HostCpu, PerCpuTakesThePlaceOfTheSumAndFollowsHotplug) {
  set("per_cpu", "true");
  root_.write("/proc/stat",
              "cpu  300 0 0 700 0 0 0 0\ncpu0 100 0 0 400 0 0 0 0\ncpu1 200 0 0 300 0 0 0 0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=user"), std::nullopt);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.logical_number=0,cpu.mode=user"), 1.0);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.logical_number=1,cpu.mode=user"), 2.0);

  root_.write("/proc/stat", "cpu  300 0 0 700 0 0 0 0\ncpu0 100 0 0 400 0 0 0 0\n");
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.gone.size(), 1U);
  EXPECT_EQ(testing::attributes_of(entities_, batch_.gone[0]), "cpu.logical_number=1");
}

TEST_F(HostCpu, ModesAnOldKernelDoesNotCountAreAbsent) {
  root_.write("/proc/stat", "cpu  100 0 0 400\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=idle"), 4.0);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=interrupt"), std::nullopt);
  EXPECT_EQ(value(Metric::system_cpu_time, "cpu.mode=steal"), std::nullopt);
}

TEST_F(HostCpu, GarbageIsAFailureNotAValue) {
  root_.write("/proc/uptime", "12.5 40.0\n");
  for (const char* text : {"", "cpu", "cpu  1 2 x 4\n", "\xff\xfe", "cpu  -1 2 3 4 5\n"}) {
    source_.reset();
    root_.write("/proc/stat", text);
    ASSERT_TRUE(collect()) << text;
    EXPECT_EQ(testing::count_of(batch_, Metric::system_cpu_time), 0) << text;
    EXPECT_EQ(absence(Metric::system_cpu_time), Absence::failed) << text;
  }
}

}  // namespace
}  // namespace warpsight
