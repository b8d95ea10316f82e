#include "sources/nvml/mig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/nvml/fake_node.h"

namespace warpsight::nvml {
namespace {

using ::testing::DoubleNear;
using testing::FakeNode;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr double kGiB = 1024.0 * 1024 * 1024;

constexpr std::string_view kHopper = R"(
gpus:
  - model: h100
    uuid: GPU-parent
    mig:
      - {profile: 3g.40gb, gi: 1, memory: 40GiB, load: 0.5, uuid: MIG-a}
      - {profile: 1g.10gb, gi: 9, memory: 10GiB, load: 1, uuid: MIG-b}
processes:
  - {gpu: 0, mig: 1, pid: 42, name: python3, memory: 2GiB, sm: 1}
)";

TEST(NvmlMig, AnInstanceIsAnEntityWithProfileAndParent) {
  FakeNode node(kHopper);
  ASSERT_TRUE(node.collect());
  const auto points = node.points(Metric::gpu_memory_total, "gpu.mig.uuid=MIG-b");
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].value, 10 * kGiB);
  const Entity entity = node.entities.get(points[0].entity);
  EXPECT_EQ(entity.kind, EntityKind::mig);
  ASSERT_THAT(entity.attributes, SizeIs(5));
  EXPECT_EQ(entity.attributes[0].key, "gpu.mig.instance_id");
  EXPECT_EQ(entity.attributes[0].value, "9");
  EXPECT_EQ(entity.attributes[1].value, "1g.10gb");
  EXPECT_EQ(entity.attributes[2].value, "GPU-parent");
  EXPECT_EQ(entity.attributes[4], (Attribute{".mig.ci", "0"}));
  EXPECT_EQ(node.value(Metric::gpu_memory_used, "gpu.mig.uuid=MIG-b"), 2 * kGiB);
}

TEST(NvmlMig, UtilizationOfTheWholeIsAbsentNotZero) {
  FakeNode node(kHopper);
  ASSERT_TRUE(node.collect());
  node.run(6);
  EXPECT_FALSE(node.has(Metric::gpu_utilization));
  EXPECT_EQ(node.absence(Metric::gpu_utilization), Absence::unsupported);
  EXPECT_EQ(node.absence(Metric::gpu_process_utilization), Absence::unsupported);
  EXPECT_FALSE(node.has(Metric::gpu_process_utilization));
}

TEST(NvmlMig, ActivityComesFromGpmForEachInstance) {
  FakeNode node(kHopper);
  ASSERT_TRUE(node.collect());
  ASSERT_TRUE(node.tick());
  EXPECT_THAT(node.value(Metric::gpu_gr_engine_active, "gpu.mig.uuid=MIG-a"),
              Optional(DoubleNear(0.495, 0.01)));
  EXPECT_THAT(node.value(Metric::gpu_gr_engine_active, "gpu.mig.uuid=MIG-b"),
              Optional(DoubleNear(0.99, 0.01)));
}

TEST(NvmlMig, AmpereInstancesHaveMemoryButNoActivity) {
  FakeNode node("gpus: [{model: a100, mig: [{profile: 3g.40gb, gi: 1, uuid: MIG-a}]}]");
  ASSERT_TRUE(node.collect());
  ASSERT_TRUE(node.tick());
  EXPECT_TRUE(node.has(Metric::gpu_memory_used, "gpu.mig.uuid=MIG-a"));
  EXPECT_FALSE(node.has(Metric::gpu_sm_active, "gpu.mig.uuid=MIG-a"));
  EXPECT_EQ(node.absence(Metric::gpu_sm_active, "gpu.mig.uuid=MIG-a"), Absence::unsupported);
}

TEST(NvmlMig, ProcessesBelongToTheirInstance) {
  FakeNode node(kHopper);
  ASSERT_TRUE(node.collect());
  const auto points = node.points(Metric::gpu_process_memory_used, "process.pid=42");
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(node.entities.get(node.entities.get(points[0].entity).parent).kind, EntityKind::mig);
  EXPECT_TRUE(node.has(Metric::gpu_process_memory_used, "gpu.mig.uuid=MIG-b process.pid=42"));
}

TEST(NvmlMig, AGpuInMigModeWithoutInstancesIsStillThere) {
  FakeNode node("gpus: [{model: a100, mig: []}]");
  ASSERT_TRUE(node.collect());
  EXPECT_TRUE(node.has(Metric::gpu_memory_total));
  EXPECT_TRUE(node.has(Metric::gpu_info, "gpu.mig.mode=enabled"));
  EXPECT_EQ(node.absence(Metric::gpu_utilization), Absence::unsupported);
}

TEST(NvmlMig, TheProfileIsFoundInTheInstancesName) {
  EXPECT_EQ(mig_profile_in("NVIDIA A100-SXM4-80GB MIG 3g.40gb"), "3g.40gb");
  EXPECT_EQ(mig_profile_in("NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb"), "1c.3g.40gb");
  EXPECT_EQ(mig_profile_in("NVIDIA A100-SXM4-80GB"), "");
}

}  // namespace
}  // namespace warpsight::nvml
