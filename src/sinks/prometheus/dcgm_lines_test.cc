#include "sinks/prometheus/dcgm_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace warpsight {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DcgmTest : public ::testing::Test {
 protected:
  DcgmTest() { batch_.begin(clock_.now(), std::chrono::seconds{1}); }

  EntityId facet(std::initializer_list<AttributeView> attributes) {
    return entities_.intern(EntityKind::facet, gpu_, attributes);
  }

  std::string render(PageFormat format = PageFormat::classic) {
    clock_.advance(std::chrono::seconds{1});
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    batch_.begin(clock_.now(), std::chrono::seconds{1});
    std::string out;
    registry_.read([&](const Snapshot& snapshot) { lines_.render(snapshot, format, out); });
    return out;
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t source_ = registry_.add_source("nvml");
  EntityId gpu_ = entities_.intern(EntityKind::gpu, kNoEntity,
                                   {{"gpu.index", "0"},
                                    {"gpu.uuid", "GPU-aa"},
                                    {"gpu.model", "NVIDIA H100"},
                                    {"gpu.vendor", "nvidia"},
                                    {".pci", "0000:af:00.0"}});
  std::vector<Attribute> resource_ = {{"host.name", "node1"}};
  DcgmLines lines_{entities_, resource_};
  Batch batch_;
};

TEST_F(DcgmTest, LinesHaveDcgmExportersLabelsInItsUnits) {
  batch_.add(Metric::gpu_utilization, gpu_, 0.29);
  batch_.add(Metric::gpu_memory_used, gpu_, 1024.0 * 1024 * 512);
  batch_.add(Metric::gpu_energy_consumption, gpu_, 12.5);
  batch_.add(Metric::gpu_clock_frequency, facet({{"gpu.clock.type", "sm"}}), 1.98e9);
  batch_.add(Metric::gpu_info,
             facet({{"gpu.driver.version", "550.54.15"}, {"gpu.minor_number", "3"}}), 1);
  const std::string page = render();
  const std::string labels =
      "{gpu=\"0\",UUID=\"GPU-aa\",pci_bus_id=\"00000000:AF:00.0\",device=\"nvidia3\","
      "modelName=\"NVIDIA H100\",Hostname=\"node1\",DCGM_FI_DRIVER_VERSION=\"550.54.15\"} ";
  EXPECT_THAT(
      page, HasSubstr("# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL" + labels + "29\n"));
  EXPECT_THAT(page, HasSubstr("DCGM_FI_DEV_FB_USED" + labels + "512\n"));
  EXPECT_THAT(page, HasSubstr("# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter\n"
                              "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION" +
                              labels + "12500\n"));
  EXPECT_THAT(page, HasSubstr("DCGM_FI_DEV_SM_CLOCK" + labels + "1980\n"));
  EXPECT_THAT(page, Not(HasSubstr("DCGM_FI_DEV_MEM_CLOCK")));
}

TEST_F(DcgmTest, WithoutAMinorNumberTheIndexNamesTheDevice) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  EXPECT_THAT(render(), HasSubstr("device=\"nvidia0\""));
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  batch_.add(Metric::gpu_info, facet({{"gpu.minor_number", "5"}}), 1);
  EXPECT_THAT(render(), HasSubstr("device=\"nvidia5\"")) << "labels follow what is learnt later";
}

TEST_F(DcgmTest, MigInstancesCarryTheirProfileAndTheGpusUuid) {
  const EntityId mig = entities_.intern(
      EntityKind::mig, gpu_,
      {{"gpu.uuid", "MIG-bb"}, {"gpu.mig.instance_id", "7"}, {"gpu.mig.profile", "1g.10gb"}});
  batch_.add(Metric::gpu_memory_used, mig, 1024 * 1024);
  EXPECT_THAT(render(), HasSubstr("UUID=\"GPU-aa\",pci_bus_id=\"00000000:AF:00.0\","
                                  "device=\"nvidia0\",modelName=\"NVIDIA H100\","
                                  "GPU_I_PROFILE=\"1g.10gb\",GPU_I_ID=\"7\",Hostname=\"node1\"} "
                                  "1\n"));
}

TEST_F(DcgmTest, ThrottleCausesBecomeAMask) {
  batch_.add(Metric::gpu_throttle_reason, facet({{"gpu.throttle.cause", "sw_power_cap"}}), 1);
  batch_.add(Metric::gpu_throttle_reason, facet({{"gpu.throttle.cause", "hw_thermal"}}), 1);
  batch_.add(Metric::gpu_throttle_reason, facet({{"gpu.throttle.cause", "hw_slowdown"}}), 0);
  batch_.add(Metric::gpu_throttle_reason, facet({{"gpu.throttle.cause", "unknown_200"}}), 1);
  EXPECT_THAT(render(), HasSubstr("CLOCK_THROTTLE_REASONS{gpu=\"0\""));
  EXPECT_EQ(dcgm_throttle_bit("unknown_200"), 0x200U);
  EXPECT_EQ(dcgm_throttle_bit("unknown_zz"), 0U);
  batch_.add(Metric::gpu_throttle_reason, facet({{"gpu.throttle.cause", "sw_power_cap"}}), 1);
  EXPECT_THAT(render(), HasSubstr("} " + std::to_string(0x004 + 0x040 + 0x200) + "\n"));
}

TEST_F(DcgmTest, EccTotalsAreSummedOverTheMemoryBlocks) {
  const auto errors = [&](std::string_view block, double count) {
    batch_.add(Metric::gpu_ecc_errors,
               facet({{"gpu.ecc.error_type", "correctable"},
                      {"gpu.ecc.count_type", "volatile"},
                      {"gpu.ecc.memory_block", block}}),
               count);
  };
  errors("dram", 3);
  errors("l2", 4);
  const std::string page = render();
  EXPECT_THAT(page, ::testing::ContainsRegex("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[{].*[}] 7\n"));
  EXPECT_THAT(page, ::testing::ContainsRegex("DCGM_FI_DEV_ECC_SBE_VOL_DEV[{].*[}] 3\n"));
  EXPECT_THAT(page, Not(HasSubstr("ECC_DBE_VOL_TOTAL")));
}

TEST_F(DcgmTest, ASeriesForAllLinksStandsForTheLinks) {
  const auto rate = [&](std::initializer_list<AttributeView> attributes, double value) {
    batch_.add(Metric::gpu_interconnect_throughput, facet(attributes), value);
  };
  const AttributeView type{"gpu.interconnect.type", "nvlink"};
  const AttributeView out{"gpu.interconnect.direction", "transmit"};
  rate({type, out}, 1000);
  rate({type, out, {"gpu.interconnect.link_index", "0"}}, 600);
  rate({type, out, {"gpu.interconnect.link_index", "1"}}, 390);
  EXPECT_THAT(render(), ::testing::ContainsRegex("PROF_NVLINK_TX_BYTES[{].*[}] 1000\n"));
}

TEST_F(DcgmTest, OpenMetricsCallsItsCountersUnknown) {
  batch_.add(Metric::gpu_energy_consumption, gpu_, 1);
  EXPECT_THAT(render(PageFormat::open_metrics),
              HasSubstr("# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION unknown\n"));
}

TEST_F(DcgmTest, OtherVendorsGpusAndProcessesHaveNoDcgmNames) {
  const EntityId amd =
      entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "1"}, {"gpu.vendor", "amd"}});
  batch_.add(Metric::gpu_power_draw, amd, 70);
  EXPECT_EQ(render(), "");
}

TEST_F(DcgmTest, AGpuThatIsGoneTakesItsLinesAlong) {
  batch_.add(Metric::gpu_power_draw, gpu_, 70);
  EXPECT_THAT(render(), HasSubstr("DCGM_FI_DEV_POWER_USAGE"));
  batch_.gone.push_back(gpu_);
  EXPECT_EQ(render(), "");
}

TEST(DcgmNames, EveryNameIsThereOnce) {
  std::set<std::string_view> names;
  for (const DcgmRow& row : dcgm_rows()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  EXPECT_GT(names.size(), 200U);
}

}  // namespace
}  // namespace warpsight
