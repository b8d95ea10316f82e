// What a device wears of its owner, and what that does to its series.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "core/attributes.h"
#include "core/registry.h"

namespace warpsight {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::shared_ptr<const Worn> owned_by(const std::string& pod, bool on_counters = false) {
  return std::make_shared<const Worn>(Worn{{{"k8s.pod.name", pod}}, on_counters});
}

std::string owner_in(const std::vector<Attribute>& attributes) {
  for (const Attribute& a : attributes) {
    if (a.key == "k8s.pod.name") return a.value;
  }
  return {};
}

class DressingTest : public testing::Test {
 protected:
  void wear(EntityId entity, std::shared_ptr<const Worn> worn) {
    batch.dressings.push_back({entity, std::move(worn)});
    registry.apply(source, batch, clock.now());
  }
  void say(Metric metric, EntityId entity, double value, Duration period = seconds{1}) {
    batch.begin(clock.now(), period);
    batch.add(metric, entity, value);
    registry.apply(source, batch, clock.now());
  }
  std::string owner_of(Metric metric, EntityId entity) {
    return owner_in(attributes_of(entities, entity, &row(metric)));
  }
  uint32_t birth(Metric metric) {
    return registry.inspect([&](const View& view) { return view.find_live(metric, gpu)->birth; });
  }
  bool is_published(Metric metric) {
    registry.publish(clock.now(), {});
    return registry.inspect([&](const View& view) { return view.find(metric, gpu) != nullptr; });
  }

  ManualClock clock;
  EntityTable entities;
  Registry registry{entities};
  uint16_t source = registry.add_source("nvml");
  Batch batch;
  EntityId gpu = entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  EntityId clocks = entities.intern(EntityKind::facet, gpu, {{"gpu.clock.type", "sm"}});
  EntityId process = entities.intern(EntityKind::process, gpu, {{"process.pid", "7"}});
  EntityId mig = entities.intern(EntityKind::mig, gpu, {{"gpu.mig.uuid", "MIG-1"}});
};

TEST_F(DressingTest, FacetsShowWhatTheirDeviceWearsAndProcessesAndInstancesDoNot) {
  wear(gpu, owned_by("train"));
  EXPECT_EQ(owner_of(Metric::gpu_memory_used, gpu), "train");
  EXPECT_EQ(owner_of(Metric::gpu_clock_frequency, clocks), "train");
  EXPECT_EQ(owner_of(Metric::gpu_process_memory_used, process), "");
  EXPECT_EQ(owner_of(Metric::gpu_memory_used, mig), "");
  EXPECT_EQ(owner_of(Metric::gpu_energy_consumption, gpu), "") << "a counter";
  EXPECT_EQ(owner_of(Metric::gpu_info, gpu), "");
  wear(gpu, owned_by("train", true));
  EXPECT_EQ(owner_of(Metric::gpu_energy_consumption, gpu), "train");
  wear(gpu, nullptr);
  EXPECT_EQ(owner_of(Metric::gpu_memory_used, gpu), "");
}

TEST_F(DressingTest, GaugesBeginAnewWithAnotherOwnerAndCountersDoNot) {
  say(Metric::gpu_memory_used, gpu, 1);
  say(Metric::gpu_energy_consumption, gpu, 1);
  registry.publish(clock.now(), {});
  const uint32_t gauge = birth(Metric::gpu_memory_used);
  const uint32_t counter = birth(Metric::gpu_energy_consumption);
  wear(gpu, owned_by("a"));
  EXPECT_NE(birth(Metric::gpu_memory_used), gauge);
  EXPECT_EQ(birth(Metric::gpu_energy_consumption), counter);
  const uint32_t owned = birth(Metric::gpu_memory_used);
  wear(gpu, owned_by("a"));
  EXPECT_EQ(birth(Metric::gpu_memory_used), owned) << "the same owner said again";
}

TEST_F(DressingTest, WhatWasReadBeforeIsNotToldAsTheNewOwners) {
  say(Metric::gpu_memory_used, gpu, 1);
  EXPECT_TRUE(is_published(Metric::gpu_memory_used));
  wear(gpu, owned_by("a"));
  EXPECT_FALSE(is_published(Metric::gpu_memory_used));
  clock.advance(seconds{1});
  say(Metric::gpu_memory_used, gpu, 2);
  EXPECT_TRUE(is_published(Metric::gpu_memory_used));
}

TEST_F(DressingTest, ADeviceThatNobodyWasToldOfKeepsItsFirstReadings) {
  say(Metric::gpu_memory_used, gpu, 1);
  wear(gpu, owned_by("a"));
  EXPECT_TRUE(is_published(Metric::gpu_memory_used));
  EXPECT_EQ(owner_of(Metric::gpu_memory_used, gpu), "a");
  wear(gpu, owned_by("b"));
  EXPECT_FALSE(is_published(Metric::gpu_memory_used));
}

TEST_F(DressingTest, AnotherOwnerBeforeAnyPublishBeginsAnewAllTheSame) {
  say(Metric::gpu_memory_used, gpu, 1);
  wear(gpu, owned_by("a"));
  wear(gpu, owned_by("b"));
  EXPECT_FALSE(is_published(Metric::gpu_memory_used));
}

TEST_F(DressingTest, AGaugeThatIsReadRarelyIsToldAllTheSame) {
  say(Metric::gpu_power_limit, gpu, 700, minutes{1});
  registry.publish(clock.now(), {});
  wear(gpu, owned_by("a"));
  EXPECT_TRUE(is_published(Metric::gpu_power_limit));
}

TEST_F(DressingTest, BusyTimeGoesOnOverAChangeOfOwner) {
  say(Metric::gpu_utilization, gpu, 1);
  clock.advance(seconds{1});
  say(Metric::gpu_utilization, gpu, 1);
  wear(gpu, owned_by("a"));
  clock.advance(seconds{1});
  say(Metric::gpu_utilization, gpu, 1);
  EXPECT_DOUBLE_EQ(registry.inspect([&](const View& view) {
    return view.find_live(Metric::gpu_utilization, gpu)->integral;
  }),
                   2);
}

TEST_F(DressingTest, AnEntityThatEndsTakesItsOwnerAlong) {
  wear(process, owned_by("a"));
  batch.gone.push_back(process);
  registry.apply(source, batch, clock.now());
  const EntityId next = entities.intern(EntityKind::process, gpu, {{"process.pid", "7"}});
  EXPECT_EQ(owner_of(Metric::gpu_process_memory_used, next), "");
}

TEST_F(DressingTest, ComingsAndGoingsAreCountedByKind) {
  const uint64_t processes = entities.changes(EntityKind::process);
  const uint64_t gpus = entities.changes(EntityKind::gpu);
  const EntityId other = entities.intern(EntityKind::process, gpu, {{"process.pid", "8"}});
  EXPECT_EQ(entities.changes(EntityKind::process), processes + 1);
  entities.intern(EntityKind::process, gpu, {{"process.pid", "8"}});
  EXPECT_EQ(entities.changes(EntityKind::process), processes + 1) << "it was there";
  entities.remove(other, [](EntityId) {});
  EXPECT_EQ(entities.changes(EntityKind::process), processes + 2);
  EXPECT_EQ(entities.changes(EntityKind::gpu), gpus);
}

}  // namespace
}  // namespace warpsight
