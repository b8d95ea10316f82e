#include "analysis/hardware_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "../tests/unit/allocation_counter.h"

namespace warpsight {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

class HardwareNamesTest : public ::testing::Test {
 protected:
  HardwareNamesTest() { batch_.begin(clock_.now(), seconds{1}); }

  EntityId facet(std::initializer_list<AttributeView> attributes) {
    return entities_.intern(EntityKind::facet, gpu_, attributes);
  }
  void add(Metric metric, EntityId entity, double value) { batch_.add(metric, entity, value); }
  // What keeps a GPU known and well.
  void add_signs_of_life() {
    add(Metric::gpu_info, info_, 1);
    add(Metric::gpu_driver_responsive, gpu_, 1);
  }

  // Publishes what was added and gives the hw.* series: "name key=value key=value", attributes of
  // the device itself left out unless `whole`.
  std::map<std::string, double> publish(bool whole = false) {
    clock_.advance(seconds{1});
    registry_.apply(source_, batch_, clock_.now());
    Analysis* analyses[] = {&names_};
    registry_.publish(clock_.now(), analyses);
    batch_.begin(clock_.now(), seconds{1});
    std::map<std::string, double> found;
    registry_.read([&](const Snapshot& snapshot) {
      for (const Sample& sample : snapshot.samples) {
        const Series& series = *snapshot.series_of(sample);
        std::string text(row(series.metric).name);
        if (!text.starts_with("hw.")) continue;
        const Entity entity = entities_.get(series.entity);
        const auto add_attribute = [&](std::string_view key, std::string_view value) {
          text.append(" ").append(key).append("=").append(value);
        };
        if (whole) {
          entities_.for_each_attribute(series.entity, add_attribute);
        } else if (entity.parent) {
          for (const Attribute& a : entity.attributes) add_attribute(a.key, a.value);
        }
        found[text] = sample.value;
      }
    });
    return found;
  }

  std::string state() {
    for (const auto& [name, value] : publish()) {
      if (name.starts_with("hw.status") && value == 1) return name.substr(name.find('=') + 1);
    }
    return "none";
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
                                    {"simulated", "true"},
                                    {".pci", "0000:06:00.0"}});
  EntityId info_ = facet({{"gpu.driver.version", "550.1"}, {"gpu.serial", "165"}});
  HardwareNames names_{entities_};
  Batch batch_;
};

TEST_F(HardwareNamesTest, ValuesAreGivenByTheConventionsNamesAndAttributes) {
  add_signs_of_life();
  add(Metric::gpu_utilization, gpu_, 0.5);
  add(Metric::gpu_encode_utilization, gpu_, 0.25);
  add(Metric::gpu_decode_utilization, gpu_, 0.125);
  add(Metric::gpu_memory_used, gpu_, 20);
  add(Metric::gpu_memory_total, gpu_, 80);
  add(Metric::gpu_pcie_io, facet({{"gpu.interconnect.direction", "transmit"}}), 1000);
  add(Metric::gpu_energy_consumption, gpu_, 5000);
  add(Metric::gpu_power_draw, gpu_, 300);
  add(Metric::gpu_temperature, facet({{"gpu.temperature.sensor", "memory"}}), 60);
  add(Metric::gpu_temperature_limit, facet({{"gpu.temperature.threshold", "slowdown"}}), 90);
  add(Metric::gpu_temperature_limit, facet({{"gpu.temperature.threshold", "shutdown"}}), 95);
  add(Metric::gpu_fan_speed, gpu_, 0.3);
  add(Metric::gpu_xid_errors, facet({{"gpu.xid.code", "79"}}), 2);
  const std::map<std::string, double> expected = {
      {"hw.gpu.utilization hw.gpu.task=general", 0.5},
      {"hw.gpu.utilization hw.gpu.task=encoder", 0.25},
      {"hw.gpu.utilization hw.gpu.task=decoder", 0.125},
      {"hw.gpu.memory.usage", 20},
      {"hw.gpu.memory.limit", 80},
      {"hw.gpu.memory.utilization", 0.25},
      {"hw.gpu.io network.io.direction=transmit", 1000},
      {"hw.energy", 5000},
      {"hw.power", 300},
      {"hw.temperature hw.sensor_location=memory", 60},
      {"hw.temperature.limit hw.limit_type=throttled", 90},
      {"hw.temperature.limit hw.limit_type=critical", 95},
      {"hw.fan.speed_ratio hw.id=GPU-aa:fan hw.name=fan hw.parent=GPU-aa", 0.3},
      {"hw.errors error.type=xid_79", 2},
      {"hw.status hw.state=ok", 1},
      {"hw.status hw.state=degraded", 0},
      {"hw.status hw.state=predicted_failure", 0},
      {"hw.status hw.state=failed", 0},
  };
  EXPECT_EQ(publish(), expected);
}

TEST_F(HardwareNamesTest, ADeviceSaysWhatItIs) {
  add_signs_of_life();
  add(Metric::gpu_power_draw, gpu_, 300);
  EXPECT_THAT(publish(true),
              Contains(Key("hw.power hw.id=GPU-aa hw.name=NVIDIA H100 hw.vendor=nvidia "
                           "hw.model=NVIDIA H100 hw.serial_number=165 hw.driver_version=550.1 "
                           "simulated=true")));
}

TEST_F(HardwareNamesTest, AMigInstanceIsADeviceBelowItsGpu) {
  const EntityId mig = entities_.intern(EntityKind::mig, gpu_,
                                        {{"gpu.mig.instance_id", "7"}, {"gpu.mig.uuid", "MIG-bb"}});
  add_signs_of_life();
  add(Metric::gpu_memory_used, mig, 5);
  const auto found = publish(true);
  EXPECT_THAT(found, Contains(Pair("hw.gpu.memory.usage hw.id=MIG-bb hw.name=NVIDIA H100 "
                                   "hw.parent=GPU-aa hw.vendor=nvidia hw.model=NVIDIA H100 "
                                   "simulated=true",
                                   5)));
  EXPECT_EQ(std::ranges::count_if(
                found, [](const auto& item) { return item.first.starts_with("hw.status"); }),
            4)
      << "of the GPU alone";
}

TEST_F(HardwareNamesTest, MemoryErrorsAreAddedUpOverTheBlocks) {
  const auto errors = [&](std::string_view type, std::string_view count, std::string_view block,
                          double value) {
    add(Metric::gpu_ecc_errors,
        facet({{"gpu.ecc.error_type", type},
               {"gpu.ecc.count_type", count},
               {"gpu.ecc.memory_block", block}}),
        value);
  };
  for (int turn = 0; turn < 2; ++turn) {
    add_signs_of_life();
    errors("correctable", "aggregate", "dram", 3);
    errors("correctable", "aggregate", "sram", 4);
    errors("correctable", "volatile", "sram", 100);
    errors("uncorrectable", "aggregate", "dram", 1);
    errors("uncorrectable", "volatile", "dram", 0);
    const auto found = publish();
    EXPECT_THAT(found, Contains(Pair("hw.errors error.type=corrected", 7)));
    EXPECT_THAT(found, Contains(Pair("hw.errors error.type=uncorrected", 1)));
    EXPECT_THAT(found, Contains(Pair("hw.status hw.state=ok", 1)));
  }
  add_signs_of_life();
  errors("uncorrectable", "volatile", "dram", 1);
  EXPECT_EQ(state(), "degraded");
}

TEST_F(HardwareNamesTest, TheWorstSignDecidesTheState) {
  add_signs_of_life();
  EXPECT_EQ(state(), "ok");
  add_signs_of_life();
  add(Metric::gpu_recovery_action, facet({{"gpu.recovery.name", "reset"}}), 1);
  EXPECT_EQ(state(), "degraded");
  add_signs_of_life();
  add(Metric::gpu_row_remap_failure, gpu_, 1);
  add(Metric::gpu_row_remap_pending, gpu_, 1);
  EXPECT_EQ(state(), "predicted_failure");
  add_signs_of_life();
  add(Metric::gpu_recovery_action, facet({{"gpu.recovery.name", "reset"}}), 0);
  add(Metric::gpu_row_remap_failure, gpu_, 0);
  add(Metric::gpu_row_remap_pending, gpu_, 0);
  EXPECT_EQ(state(), "ok");
}

TEST_F(HardwareNamesTest, AGpuThatHangsOrIsLostHasFailed) {
  add_signs_of_life();
  EXPECT_EQ(state(), "ok");
  add(Metric::gpu_info, info_, 1);
  add(Metric::gpu_driver_responsive, gpu_, 0);
  EXPECT_EQ(state(), "failed");
  clock_.advance(seconds{5});
  batch_.begin(clock_.now(), seconds{1});
  add(Metric::gpu_driver_responsive, gpu_, 1);
  EXPECT_EQ(state(), "failed") << "it answers to nothing but its name";
  add_signs_of_life();
  EXPECT_EQ(state(), "ok");
}

TEST_F(HardwareNamesTest, WhatIsNoLongerThereEnds) {
  add_signs_of_life();
  add(Metric::gpu_power_draw, gpu_, 300);
  publish();
  const size_t with_gpu = entities_.size();
  batch_.gone.push_back(gpu_);
  EXPECT_THAT(publish(), IsEmpty());
  EXPECT_THAT(publish(), IsEmpty());
  EXPECT_LT(entities_.size(), with_gpu);
  EXPECT_EQ(entities_.size(), 0U);
}

TEST_F(HardwareNamesTest, ANewDriverMakesItAnotherThing) {
  add_signs_of_life();
  publish();
  const size_t before = entities_.size();
  batch_.gone.push_back(info_);
  info_ = facet({{"gpu.driver.version", "560.2"}, {"gpu.serial", "165"}});
  add_signs_of_life();
  const auto found = publish(true);
  EXPECT_THAT(found, Contains(Key(HasSubstr("hw.driver_version=560.2"))));
  EXPECT_THAT(found, Each(Key(Not(HasSubstr("hw.driver_version=550.1")))));
  EXPECT_EQ(entities_.size(), before);
}

TEST_F(HardwareNamesTest, ASteadyPublishAllocatesNothing) {
  const EntityId sensor = facet({{"gpu.temperature.sensor", "edge"}});
  Batch out;
  struct Probe final : Analysis {
    explicit Probe(HardwareNames& names) : names_(names) {}
    void run(const View& view, Batch& batch) override {
      const uint64_t before = test::allocations();
      names_.run(view, batch);
      spent = test::allocations() - before;
    }
    HardwareNames& names_;
    uint64_t spent = 0;
  } probe(names_);
  Analysis* analyses[] = {&probe};
  for (int turn = 0; turn < 3; ++turn) {
    add_signs_of_life();
    add(Metric::gpu_power_draw, gpu_, 300);
    add(Metric::gpu_memory_used, gpu_, 20);
    add(Metric::gpu_memory_total, gpu_, 80);
    add(Metric::gpu_temperature, sensor, 50);
    clock_.advance(seconds{1});
    registry_.apply(source_, batch_, clock_.now());
    registry_.publish(clock_.now(), analyses);
    batch_.begin(clock_.now(), seconds{1});
  }
  EXPECT_EQ(probe.spent, 0U);
}

}  // namespace
}  // namespace warpsight
