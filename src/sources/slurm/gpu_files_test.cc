#include "sources/slurm/gpu_files.h"

#include <gmock/gmock.h>

#include "sources/sysfs/fake_root.h"

namespace warpsight::slurm {
namespace {

using warpsight::testing::FakeRoot;

constexpr std::string_view kMigMinors =
    "config 1\nmonitor 2\ngpu0/gi1/access 12\ngpu0/gi1/ci0/access 13\n"
    "gpu0/gi2/access 21\ngpu2/gi1/access 282\ngpu2/gi1/ci0/access 283\n";

TEST(GpuFiles, TheDevicesNumberCountsNotTheName) {
  const FakeRoot root;
  root.link("/dev/nvidia0", "/dev/null");  // character device 1:3
  const auto device = device_of({.type = "", .files = {"/dev/nvidia0"}}, root.path());
  ASSERT_TRUE(device);
  EXPECT_EQ(device->form, DeviceName::Form::minor);
  EXPECT_EQ(device->text, "3");
  EXPECT_EQ(device->vendor, "nvidia");
}

TEST(GpuFiles, WithoutTheDeviceItsNameCounts) {
  const FakeRoot root;
  EXPECT_EQ(device_of({.type = "", .files = {"/dev/nvidia12"}}, root.path())->text, "12");
  EXPECT_FALSE(device_of({.type = "", .files = {"/dev/dri/renderD128"}}, root.path()));
  EXPECT_FALSE(device_of({.type = "", .files = {"/dev/nvidiactl"}}, root.path()));
  EXPECT_FALSE(device_of({.type = "", .files = {"/dev/nvidia0", "/dev/nvidia1"}}, root.path()));
  EXPECT_FALSE(device_of({.type = "", .files = {}}, root.path()));
}

TEST(GpuFiles, MigInstancesAreFoundByTheirCapabilities) {
  const FakeRoot root;
  const GpuFiles instance{.type = "1g.10gb",
                          .files = {"/dev/nvidia2", "/dev/nvidia-caps/nvidia-cap282",
                                    "/dev/nvidia-caps/nvidia-cap283"}};
  EXPECT_FALSE(device_of(instance, root.path()));
  root.write("/proc/driver/nvidia-caps/mig-minors", kMigMinors);
  const auto device = device_of(instance, root.path());
  ASSERT_TRUE(device);
  EXPECT_EQ(device->text, "2");
  EXPECT_EQ(device->gpu_instance, 1);
  EXPECT_EQ(device->compute_instance, 0);
  // Of another GPU, or of two instances, or gone.
  for (const char* file : {"nvidia-cap12", "nvidia-cap99"}) {
    EXPECT_FALSE(
        device_of({.type = "", .files = {"/dev/nvidia2", std::string("/d/") + file}}, root.path()));
  }
  EXPECT_FALSE(device_of(
      {.type = "", .files = {"/dev/nvidia0", "/d/nvidia-cap12", "/d/nvidia-cap21"}}, root.path()));
}

TEST(GpuFiles, LinesOfMigMinors) {
  EXPECT_EQ(find_mig_capability(kMigMinors, 13), (MigPlace{0, 1, 0}));
  EXPECT_EQ(find_mig_capability(kMigMinors, 21), (MigPlace{0, 2, -1}));
  EXPECT_EQ(find_mig_capability(kMigMinors, 1), MigPlace{});
  EXPECT_EQ(find_mig_capability(kMigMinors, 4), MigPlace{});
}

}  // namespace
}  // namespace warpsight::slurm
