#include "sources/host/host_fixture.h"

namespace warpsight {
namespace {

class HostMemory : public testing::HostFixture {};

TEST_F(HostMemory, StatesAddUpToAllMemory) {
  root_.write("/proc/meminfo",
              "MemTotal:       1000 kB\nMemFree:         200 kB\nMemAvailable:    600 kB\n"
              "Buffers:          50 kB\nCached:          300 kB\nSwapCached:        7 kB\n"
              "SReclaimable:     30 kB\nSwapTotal:       400 kB\nSwapFree:        100 kB\n"
              "HugePages_Total:   0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_memory_usage, "system.memory.state=free"), 200 * 1024.0);
  EXPECT_EQ(value(Metric::system_memory_usage, "system.memory.state=buffers"), 50 * 1024.0);
  EXPECT_EQ(value(Metric::system_memory_usage, "system.memory.state=cached"), 300 * 1024.0);
  EXPECT_EQ(value(Metric::system_memory_usage, "system.memory.state=slab_reclaimable"),
            30 * 1024.0);
  EXPECT_EQ(value(Metric::system_memory_usage, "system.memory.state=used"), 420 * 1024.0);
  EXPECT_DOUBLE_EQ(value(Metric::system_memory_utilization).value_or(-1), 0.4);
  EXPECT_EQ(value(Metric::system_paging_usage, "system.paging.state=used"), 300 * 1024.0);
  EXPECT_EQ(value(Metric::system_paging_usage, "system.paging.state=free"), 100 * 1024.0);
}

TEST_F(HostMemory, WhatTheKernelDoesNotSayIsAbsent) {
  root_.write("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 200 kB\nCached: 300 kB\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_memory_usage, "system.memory.state=used"), 500 * 1024.0);
  EXPECT_EQ(value(Metric::system_memory_usage, "system.memory.state=buffers"), std::nullopt);
  EXPECT_EQ(value(Metric::system_memory_utilization), std::nullopt);
  EXPECT_EQ(testing::count_of(batch_, Metric::system_paging_usage), 0);
}

TEST_F(HostMemory, PressureTotalsAreSeconds) {
  root_.write("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n");
  root_.write("/proc/pressure/io",
              "some avg10=1.00 avg60=0.00 avg300=0.00 total=4000000\n"
              "full avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n");
  ASSERT_TRUE(collect());
  const auto seconds = [&](std::string_view attributes) {
    return value(Metric::system_pressure_time, attributes);
  };
  EXPECT_EQ(seconds("system.pressure.resource=cpu,system.pressure.kind=some"), 2.5);
  EXPECT_EQ(seconds("system.pressure.resource=cpu,system.pressure.kind=full"), std::nullopt);
  EXPECT_EQ(seconds("system.pressure.resource=io,system.pressure.kind=some"), 4.0);
  EXPECT_EQ(seconds("system.pressure.resource=io,system.pressure.kind=full"), 1.0);
  EXPECT_EQ(absence(Metric::system_pressure_time), std::nullopt);
}

TEST_F(HostMemory, AKernelWithoutPressureIsUnsupported) {
  root_.write("/proc/uptime", "1.0 1.0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(absence(Metric::system_pressure_time), Absence::unsupported);
}

TEST_F(HostMemory, LoadAndUptimeAreTheFirstNumbers) {
  root_.write("/proc/loadavg", "1.25 0.50 0.20 2/300 4711\n");
  root_.write("/proc/uptime", "86400.75 100000.00\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_cpu_load_average_1m), 1.25);
  EXPECT_EQ(value(Metric::system_uptime), 86400.75);
}

}  // namespace
}  // namespace warpsight
