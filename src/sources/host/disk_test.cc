#include "sources/host/host_fixture.h"

namespace warpsight {
namespace {

class HostDisk : public testing::HostFixture {
 protected:
  void SetUp() override {
    for (const char* disk :
         {"/sys/block/sda", "/sys/block/nvme0n1", "/sys/block/loop0", "/sys/block/cciss!c0d0"}) {
      root_.make_directory(disk);
    }
  }
};

constexpr const char* kSda = "   8  0 sda 100 5 2000 1500 50 6 4000 2500 0 3000 4000 0 0 0 0 0 0\n";

TEST_F(HostDisk, BytesAndTimeOfWholeDisksOnly) {
  root_.write("/proc/diskstats", std::string(kSda) +
                                     "   8  1 sda1 100 5 2000 1500 50 6 4000 2500 0 3000 4000\n"
                                     "   7  0 loop0 9 9 9 9 9 9 9 9 9 9 9\n"
                                     "   1  0 ram0 9 9 9 9 9 9 9 9 9 9 9\n"
                                     " 104  0 cciss/c0d0 1 0 8 1 1 0 16 1 0 1 1\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_disk_io, "system.device=sda,disk.io.direction=read"),
            2000 * 512.0);
  EXPECT_EQ(value(Metric::system_disk_io, "system.device=sda,disk.io.direction=write"),
            4000 * 512.0);
  EXPECT_EQ(value(Metric::system_disk_operation_time, "system.device=sda,disk.io.direction=read"),
            1.5);
  EXPECT_EQ(value(Metric::system_disk_operation_time, "system.device=sda,disk.io.direction=write"),
            2.5);
  EXPECT_EQ(value(Metric::system_disk_io, "system.device=cciss/c0d0,disk.io.direction=write"),
            16 * 512.0);
  EXPECT_EQ(testing::count_of(batch_, Metric::system_disk_io), 4);
}

TEST_F(HostDisk, DisksComeAndGo) {
  root_.write("/proc/diskstats", kSda);
  ASSERT_TRUE(collect());
  root_.write("/proc/diskstats", "259 0 nvme0n1 1 0 8 2 3 0 16 4 0 1 1\n");
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.gone.size(), 1U);
  EXPECT_EQ(testing::attributes_of(entities_, batch_.gone[0]), "system.device=sda");
  EXPECT_EQ(value(Metric::system_disk_io, "system.device=nvme0n1,disk.io.direction=read"), 4096.0);

  root_.write("/proc/diskstats", kSda);
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_disk_io, "system.device=sda,disk.io.direction=read"),
            2000 * 512.0);
}

TEST_F(HostDisk, TimeGoesOnWhereThirtyTwoBitsEnd) {
  root_.write("/proc/diskstats", "8 0 sda 1 0 8 4294967000 1 0 8 500 0 1 1\n");
  ASSERT_TRUE(collect());
  root_.write("/proc/diskstats", "8 0 sda 1 0 8 704 1 0 8 100 0 1 1\n");
  ASSERT_TRUE(collect());
  EXPECT_DOUBLE_EQ(
      value(Metric::system_disk_operation_time, "system.device=sda,disk.io.direction=read")
          .value_or(-1),
      4294968.0);
  // A small fall is a counter that started anew.
  EXPECT_DOUBLE_EQ(
      value(Metric::system_disk_operation_time, "system.device=sda,disk.io.direction=write")
          .value_or(-1),
      0.1);
}

TEST_F(HostDisk, ShortAndGarbledLinesAreLeftOut) {
  root_.write("/proc/diskstats", "\n8 0\n8 0 sda 1 2 3\n259 0 nvme0n1 a b c d e f g h\nxyz");
  ASSERT_TRUE(collect());
  EXPECT_EQ(testing::count_of(batch_, Metric::system_disk_io), 0);
}

}  // namespace
}  // namespace warpsight
