#include "sources/pci/pci.h"

#include <gtest/gtest.h>

#include "sources/sysfs/fake_root.h"

namespace warpsight {
namespace {

class PciTest : public ::testing::Test {
 protected:
  void SetUp() override { root_.make_directory("/sys/bus/pci/devices"); }

  void add_device(const std::string& address, std::string_view vendor, std::string_view kind,
                  const std::string& driver) {
    const std::string path = "/sys/bus/pci/devices/" + address;
    root_.write(path + "/vendor", std::string(vendor) + "\n");
    root_.write(path + "/class", std::string(kind) + "\n");
    if (!driver.empty()) root_.link(path + "/driver", "../../../bus/pci/drivers/" + driver);
  }

  void collect() {
    if (!source_) source_ = *kPciSource.make(context_);
    batch_.clear();
    ASSERT_TRUE(source_->collect(batch_));
  }

  std::optional<double> expected(const std::string& vendor) const {
    return testing::value_of(batch_, entities_, Metric::gpu_devices,
                             "gpu.state=expected,gpu.vendor=" + vendor);
  }

  testing::FakeRoot root_;
  ManualClock clock_;
  EntityTable entities_;
  Options options_ = Options::defaults(kPciSource.options);
  CallTrace trace_;
  SourceContext context_{clock_, entities_, options_, trace_, root_.path(), {}, {}, {}, {}};
  std::unique_ptr<Source> source_;
  Batch batch_;
};

TEST_F(PciTest, CountsGpusByVendor) {
  add_device("0000:00:00.0", "0x8086", "0x060000", "");
  add_device("0000:03:00.0", "0x1a03", "0x030000", "ast");
  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  add_device("0000:1c:00.0", "0x10de", "0x030000", "nvidia");
  add_device("0000:1c:00.1", "0x10de", "0x040300", "snd_hda_intel");
  add_device("0000:05:00.0", "0x10de", "0x068000", "nvidia-nvswitch");
  add_device("0000:c1:00.0", "0x1002", "0x120000", "amdgpu");
  add_device("0000:c2:00.0", "0x1002", "0x038000", "amdgpu");
  collect();
  EXPECT_EQ(expected("nvidia"), 2);
  EXPECT_EQ(expected("amd"), 2);
  EXPECT_EQ(expected("habana"), std::nullopt);
  EXPECT_EQ(batch_.points.size(), 2U);
}

TEST_F(PciTest, AGpuGivenAwayIsNotExpectedButADeadOneIs) {
  add_device("0000:1b:00.0", "0x10de", "0x030200", "vfio-pci");
  add_device("0000:1c:00.0", "0x10de", "0x030200", "nouveau");
  add_device("0000:1d:00.0", "0x10de", "0x030200", "");
  add_device("0000:33:00.0", "0x1da3", "0x120000", "habanalabs");
  collect();
  EXPECT_EQ(expected("nvidia"), 1);
  EXPECT_EQ(expected("habana"), 1);
}

TEST_F(PciTest, AVirtualFunctionIsPartOfAGpuCountedAlready) {
  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  add_device("0000:1b:00.4", "0x10de", "0x030200", "nvidia");
  root_.link("/sys/bus/pci/devices/0000:1b:00.4/physfn", "../0000:1b:00.0");
  collect();
  EXPECT_EQ(expected("nvidia"), 1);
}

TEST_F(PciTest, FollowsTheBusAndTellsWhatChanged) {
  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  add_device("0000:1c:00.0", "0x10de", "0x030200", "nvidia");
  collect();
  EXPECT_EQ(expected("nvidia"), 2);
  EXPECT_TRUE(batch_.events.empty());

  root_.remove("/sys/bus/pci/devices/0000:1c:00.0");
  collect();
  EXPECT_EQ(expected("nvidia"), 1);
  ASSERT_EQ(batch_.events.size(), 1U);
  EXPECT_EQ(batch_.events[0].name, "gpu.pci.removed");
  EXPECT_EQ(batch_.events[0].attribute("gpu.pci.address"), "0000:1c:00.0");

  root_.remove("/sys/bus/pci/devices/0000:1b:00.0");
  collect();
  EXPECT_TRUE(batch_.points.empty());
  EXPECT_EQ(batch_.gone.size(), 1U);

  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  collect();
  EXPECT_EQ(expected("nvidia"), 1);
  EXPECT_EQ(batch_.events.at(0).name, "gpu.pci.added");
}

TEST_F(PciTest, ARebindIsSeen) {
  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  collect();
  EXPECT_EQ(expected("nvidia"), 1);
  root_.link("/sys/bus/pci/devices/0000:1b:00.0/driver", "../../../bus/pci/drivers/vfio-pci");
  collect();
  EXPECT_EQ(expected("nvidia"), std::nullopt);
}

TEST_F(PciTest, TheConfigurationKnowsBetter) {
  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  ASSERT_TRUE(options_.set("expected", "nvidia=8,habana=2"));
  collect();
  EXPECT_EQ(expected("nvidia"), 8);
  EXPECT_EQ(expected("habana"), 2);
  EXPECT_EQ(expected("amd"), std::nullopt);
}

TEST_F(PciTest, AWrongConfigurationIsRefusedWithAHint) {
  for (const char* text : {"nvidea=8", "nvidia=many", "nvidia=-1"}) {
    ASSERT_TRUE(options_.set("expected", text));
    const auto made = kPciSource.make(context_);
    ASSERT_FALSE(made) << text;
    EXPECT_FALSE(made.error().hint.empty()) << text;
  }
}

TEST_F(PciTest, ASimulationHasNoBus) {
  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  context_.simulate = "8xh100";
  collect();
  EXPECT_TRUE(batch_.points.empty());
}

TEST_F(PciTest, GarbageIsNoGpu) {
  add_device("0000:1b:00.0", "0x10de", "", "nvidia");
  add_device("0000:1c:00.0", "nvidia", "0x030200", "nvidia");
  root_.make_directory("/sys/bus/pci/devices/0000:1d:00.0");
  collect();
  EXPECT_TRUE(batch_.points.empty());
}

TEST_F(PciTest, AMachineWithoutPciHasNoGpus) {
  root_.remove("/sys");
  collect();
  EXPECT_TRUE(batch_.points.empty());
}

TEST_F(PciTest, DoctorListsWhatWasFound) {
  add_device("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  add_device("0000:1c:00.0", "0x10de", "0x030200", "vfio-pci");
  add_device("0000:1d:00.0", "0x10de", "0x030200", "");
  const auto findings = kPciSource.diagnose(context_);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].what, "nvidia GPU at 0000:1b:00.0, driver nvidia");
  EXPECT_EQ(findings[1].what, "nvidia GPU at 0000:1c:00.0 is bound to vfio-pci: left alone");
  EXPECT_EQ(findings[2].state, Finding::State::missing);
  EXPECT_FALSE(findings[2].hint.empty());
}

}  // namespace
}  // namespace warpsight
