#include "sources/host/host_fixture.h"

namespace warpsight {
namespace {

class HostNetwork : public testing::HostFixture {};

constexpr const char* kHeader =
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop "
    "fifo colls carrier compressed\n";

TEST_F(HostNetwork, BytesErrorsAndDropsByDirection) {
  root_.write("/proc/1/net/dev", std::string(kHeader) +
                                     "    lo: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n"
                                     "  eth0:1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n"
                                     "veth12ab: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n");
  ASSERT_TRUE(collect());
  const std::string in = "network.interface.name=eth0,network.io.direction=receive";
  const std::string out = "network.interface.name=eth0,network.io.direction=transmit";
  EXPECT_EQ(value(Metric::system_network_io, in), 1000);
  EXPECT_EQ(value(Metric::system_network_io, out), 2000);
  EXPECT_EQ(value(Metric::system_network_errors, in), 1);
  EXPECT_EQ(value(Metric::system_network_errors, out), 3);
  EXPECT_EQ(value(Metric::system_network_dropped, in), 2);
  EXPECT_EQ(value(Metric::system_network_dropped, out), 4);
  EXPECT_EQ(testing::count_of(batch_, Metric::system_network_io), 2);
}

TEST_F(HostNetwork, TheUserDecidesWhatIsLeftOut) {
  set("network_ignore", "eth*,bond0");
  root_.write("/proc/1/net/dev", std::string(kHeader) +
                                     "eth0: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n"
                                     "bond0: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n"
                                     "bond01: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n"
                                     "lo: 7 1 1 1 0 0 0 0 7 1 1 1 0 0 0 0\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(testing::count_of(batch_, Metric::system_network_io), 4);
  EXPECT_EQ(
      value(Metric::system_network_io, "network.interface.name=lo,network.io.direction=receive"),
      7);
}

TEST_F(HostNetwork, InterfacesComeAndGo) {
  root_.write("/proc/1/net/dev", "a0: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n");
  ASSERT_TRUE(collect());
  root_.write("/proc/1/net/dev", "a1: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n");
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.gone.size(), 1U);
  EXPECT_EQ(testing::attributes_of(entities_, batch_.gone[0]), "network.interface.name=a0");
}

TEST_F(HostNetwork, GarbledLinesAreLeftOut) {
  root_.write("/proc/1/net/dev", "eth0: 1 2 3\n: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\neth1: x\n:::");
  ASSERT_TRUE(collect());
  EXPECT_EQ(testing::count_of(batch_, Metric::system_network_io), 0);
}

class HostNuma : public testing::HostFixture {};

TEST_F(HostNuma, MissesByNodeAreReadSlowly) {
  root_.write("/sys/devices/system/node/node0/numastat", "numa_hit 900\nnuma_miss 4\n");
  root_.write("/sys/devices/system/node/node1/numastat", "numa_hit 900\nnuma_miss 7\n");
  root_.write("/sys/devices/system/node/possible", "0-1\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_numa_misses, "system.numa.node=0"), 4);
  EXPECT_EQ(value(Metric::system_numa_misses, "system.numa.node=1"), 7);
  EXPECT_EQ(batch_.points.back().period_ds, 300);
  ASSERT_TRUE(collect());
  EXPECT_EQ(testing::count_of(batch_, Metric::system_numa_misses), 0);
  ASSERT_TRUE(collect(std::chrono::seconds{25}));
  EXPECT_EQ(testing::count_of(batch_, Metric::system_numa_misses), 2);
}

}  // namespace
}  // namespace warpsight
