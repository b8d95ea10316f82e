#include "sources/host/mounts.h"

#include <gmock/gmock.h>
#include <sys/statvfs.h>

#include "sources/host/host_fixture.h"

namespace warpsight::host {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> points_of(std::string_view mountinfo) {
  std::vector<std::string> points;
  for (const Mount& mount : measurable_mounts(mountinfo)) points.push_back(mount.point);
  return points;
}

TEST(Mounts, LocalOnesAreMeasuredAndOthersLeftAlone) {
  EXPECT_THAT(points_of("22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                        "23 22 0:5 / /proc rw - proc proc rw\n"
                        "24 22 0:6 / /run rw - tmpfs tmpfs rw\n"
                        "25 22 0:50 / /home rw shared:3 - nfs4 server:/home rw\n"
                        "26 22 0:51 / /scratch rw - lustre 10.0.0.1@o2ib:/fs rw\n"
                        "27 22 0:52 / /mnt/s3 rw - fuse.s3fs s3fs rw\n"
                        "28 22 259:2 / /data rw - xfs /dev/nvme0n1p2 rw\n"),
              ElementsAre("/", "/data"));
}

TEST(Mounts, BindMountsCountOnceAtTheirShortestPlace) {
  EXPECT_THAT(points_of("30 22 8:2 /vol /var/lib/kubelet/pods/x/vol rw - xfs /dev/sdb rw\n"
                        "28 22 8:2 / /data rw - xfs /dev/sdb rw\n"
                        "31 22 8:2 /vol /opt/vol/deep rw - xfs /dev/sdb rw\n"),
              ElementsAre("/data"));
}

TEST(Mounts, WhatIsBelowANetworkMountIsNotTouched) {
  EXPECT_THAT(points_of("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                        "25 22 0:50 / /home rw - nfs4 server:/home rw\n"
                        "28 25 8:2 / /home/local rw - xfs /dev/sdb rw\n"
                        "29 22 8:3 / /homely rw - xfs /dev/sdc rw\n"),
              ElementsAre("/", "/homely"));
}

TEST(Mounts, WhatIsHiddenByALaterMountIsNotMeasured) {
  EXPECT_THAT(points_of("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                        "28 22 8:2 / /data rw - xfs /dev/sdb rw\n"
                        "29 28 8:3 / /data/sub rw - xfs /dev/sdc rw\n"
                        "30 22 0:50 / /data rw - nfs server:/x rw\n"),
              ElementsAre("/"));
}

TEST(Mounts, EscapesAreResolved) {
  const auto mounts = measurable_mounts("22 1 8:1 / /my\\040disk rw - ext4 /dev/a\\134b rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].point, "/my disk");
  EXPECT_EQ(mounts[0].device, "/dev/a\\b");
}

TEST(Mounts, GarbageIsLeftOut) {
  EXPECT_THAT(points_of(""), ElementsAre());
  EXPECT_THAT(points_of("\n- - - -\n22 1 8:1 / /x rw ext4\n\\\\\\ 1 2 3 \\04 5 - \n"),
              ElementsAre());
}

TEST(Mounts, AreBounded) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    const std::string n = std::to_string(i);
    text.append("1 1 9:").append(n).append(" / /m").append(n).append(" rw - zfs p").append(n);
    text += " rw\n";
  }
  EXPECT_EQ(measurable_mounts(text).size(), kMaxMounts);
}

class HostFilesystem : public warpsight::testing::HostFixture {};

TEST_F(HostFilesystem, UtilizationIsWhatDfSays) {
  root_.make_directory("/data");
  root_.write("/proc/1/mountinfo",
              "22 1 8:1 / /data rw - ext4 /dev/sda1 rw\n23 1 8:2 / /gone rw - xfs /dev/sdb rw\n");
  ASSERT_TRUE(collect());
  struct statvfs info{};
  ASSERT_EQ(statvfs(root_.path().c_str(), &info), 0);
  const auto used = static_cast<double>(info.f_blocks - info.f_bfree);
  const auto found = value(Metric::system_filesystem_utilization,
                           "system.device=/dev/sda1,system.filesystem.mountpoint=/data");
  EXPECT_NEAR(found.value_or(-1), used / (used + static_cast<double>(info.f_bavail)), 0.01);
  EXPECT_EQ(warpsight::testing::count_of(batch_, Metric::system_filesystem_utilization), 1);
}

TEST_F(HostFilesystem, AnUnmountedOneEnds) {
  root_.make_directory("/data");
  root_.write("/proc/1/mountinfo", "22 1 8:1 / /data rw - ext4 /dev/sda1 rw\n");
  ASSERT_TRUE(collect());
  root_.write("/proc/1/mountinfo", "");
  ASSERT_TRUE(collect(std::chrono::seconds{30}));
  ASSERT_EQ(batch_.gone.size(), 1U);
  EXPECT_EQ(warpsight::testing::count_of(batch_, Metric::system_filesystem_utilization), 0);
}

}  // namespace
}  // namespace warpsight::host
