// DCGM exporter's page in its several dialects, through the built-in table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/attributes.h"
#include "core/registry.h"
#include "sources/engines/pages/gpu_subjects.h"
#include "sources/engines/pages/page_reader.h"

namespace warpsight::engines {
namespace {

using testing::Contains;
using testing::Pair;

class DcgmScenario : public testing::Test {
 protected:
  DcgmScenario() { reader_.expect(tables_.find("dcgm")); }

  // "metric{key=value,...}" of every published series, without what every GPU has.
  std::map<std::string, double> read(std::string_view page) {
    clock_.advance(std::chrono::seconds{10});
    batch_.begin(clock_.now(), std::chrono::seconds{10});
    reader_.read(page, prometheus_text::TextFormat::classic, batch_);
    registry_.apply(writer_, batch_, clock_.now());
    registry_.publish(clock_.now(), {});
    return registry_.read([&](const Snapshot& snapshot) {
      std::map<std::string, double> told;
      for (const Sample& sample : snapshot.samples) {
        const Series* series = snapshot.series_of(sample);
        if (series != nullptr) told[name_of(*series)] = sample.value;
      }
      return told;
    });
  }
  std::string name_of(const Series& series) const {
    std::string name(row(series.metric).name);
    for (const Attribute& a : attributes_of(entities_, series.entity, nullptr)) {
      if (a.key != "gpu.vendor" && a.key != "gpu.model") name += "," + a.key + "=" + a.value;
    }
    return name;
  }

  ManualClock clock_;
  EntityTable entities_;
  Registry registry_{entities_};
  uint16_t writer_ = registry_.add_source("dcgm");
  EngineTables tables_ = *EngineTables::load();
  GpuSubjects subjects_{entities_};
  Claims claims_;
  PageReader reader_{tables_, subjects_, claims_, entities_, {}};
  Batch batch_;
};

TEST_F(DcgmScenario, UnitsAreOurs) {
  const std::string labels =
      R"({gpu="2",UUID="GPU-a",pci_bus_id="00000000:18:00.0",device="nvidia2",modelName="H100",Hostname="h"} )";
  const auto told =
      read("DCGM_FI_DEV_GPU_UTIL" + labels + "40\n" + "DCGM_FI_DEV_FB_USED" + labels + "512\n" +
           "DCGM_FI_DEV_SM_CLOCK" + labels + "1980\n" + "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION" +
           labels + "5000\n" + "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE" + labels + "0.25\n");
  const std::string gpu = ",gpu.index=2,gpu.uuid=GPU-a";
  EXPECT_THAT(told, Contains(Pair("gpu.utilization" + gpu, 0.4)));
  EXPECT_THAT(told, Contains(Pair("gpu.memory.used" + gpu, 512.0 * 1024 * 1024)));
  EXPECT_THAT(told, Contains(Pair("gpu.clock.frequency" + gpu + ",gpu.clock.type=sm", 1.98e9)));
  EXPECT_THAT(told, Contains(Pair("gpu.energy.consumption" + gpu, 5.0)));
  EXPECT_THAT(told, Contains(Pair("gpu.pipe.tensor.active" + gpu, 0.25)));
}

TEST_F(DcgmScenario, OldLabelsNameTheSameThings) {
  const auto told = read(
      R"(DCGM_FI_DEV_POWER_USAGE{gpu="0",uuid="GPU-b",device="nvidia0",pod_name="p",pod_namespace="n",container_name="c"} 70.5)"
      "\n");
  EXPECT_THAT(told, Contains(Pair("gpu.power.draw,gpu.index=0,gpu.uuid=GPU-b", 70.5)));
}

TEST_F(DcgmScenario, ARenamedFieldIsToldOnce) {
  const auto told = read(
      "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-c\",hostname=\"h\"} 50\n"
      "DCGM_FI_DEV_GPU_UTIL_RATIO{gpu=\"0\",UUID=\"GPU-c\",hostname=\"h\"} 50\n");
  EXPECT_THAT(told, Contains(Pair("gpu.utilization,gpu.index=0,gpu.uuid=GPU-c", 0.5)));
}

TEST_F(DcgmScenario, BlankReadingsOfOldExportersAreAbsent) {
  const auto told = read(
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-d\"} 9223372036854775794\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-d\"} 140737488355328.0\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-d\"} 40\n");
  EXPECT_EQ(told.size(), 1U) << "the blank ones are no readings";
  EXPECT_THAT(told, Contains(Pair(testing::StartsWith("gpu.temperature"), 40.0)));
}

TEST_F(DcgmScenario, MigInstancesAreKeptApart) {
  const auto told = read(
      R"(DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-e",GPU_I_PROFILE="1g.10gb",GPU_I_ID="1"} 0.99)"
      "\n"
      R"(DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-e",GPU_I_PROFILE="1g.10gb",GPU_I_ID="2"} 0.5)"
      "\n"
      R"(DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-e",GPU_I_PROFILE="2g.20gb",GPU_I_ID="3"} 0.01)"
      "\n");
  EXPECT_EQ(told.size(), 3U);
  const std::string mig = "gpu.gr_engine.active,gpu.index=0,gpu.uuid=GPU-e,gpu.mig.instance_id=";
  EXPECT_THAT(told,
              Contains(Pair(mig + "1,gpu.mig.profile=1g.10gb,gpu.mig.parent_uuid=GPU-e", 0.99)));
  EXPECT_THAT(told,
              Contains(Pair(mig + "3,gpu.mig.profile=2g.20gb,gpu.mig.parent_uuid=GPU-e", 0.01)));
}

TEST_F(DcgmScenario, WhatTheDriverTellsIsTheSameGpu) {
  const EntityId known =
      entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "5"}, {"gpu.uuid", "GPU-f"}});
  const uint16_t nvml = registry_.add_source("nvml");
  batch_.begin(clock_.now() + std::chrono::seconds{9}, std::chrono::seconds{10});
  batch_.add(Metric::gpu_power_draw, known, 300);
  registry_.apply(nvml, batch_, clock_.now() + std::chrono::seconds{9});
  const auto told = read(
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-f\"} 1\n"
      "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{gpu=\"0\",UUID=\"GPU-f\"} 7\n"
      "DCGM_FI_PROF_DRAM_ACTIVE{gpu=\"0\",UUID=\"GPU-f\"} 0.125\n");
  EXPECT_THAT(told, Contains(Pair("gpu.power.draw,gpu.index=5,gpu.uuid=GPU-f", 300)));
  EXPECT_THAT(told, Contains(Pair("gpu.dram.active,gpu.index=5,gpu.uuid=GPU-f", 0.125)));
  EXPECT_EQ(told.size(), 2U) << "a total beside the driver's own parts would double a sum";
}

}  // namespace
}  // namespace warpsight::engines
