#include "sources/engines/pages/gpu_subjects.h"

#include <gtest/gtest.h>

namespace warpsight::engines {
namespace {

class GpuSubjectsTest : public testing::Test {
 protected:
  EntityId of(std::initializer_list<AttributeView> telling) {
    return subjects_.subject(table_, {}, std::span(telling.begin(), telling.size()));
  }
  EntityId nvml_gpu(std::string_view uuid) {
    return entities_.intern(EntityKind::gpu, kNoEntity,
                            {{"gpu.index", "0"}, {"gpu.uuid", uuid}, {".pci", "0000:18:00.0"}});
  }

  EntityTable entities_;
  GpuSubjects subjects_{entities_};
  EngineTable table_;
};

TEST_F(GpuSubjectsTest, AGpuThatTheDriverToldOfIsTheSame) {
  const EntityId known = nvml_gpu("GPU-1");
  EXPECT_EQ(of({{"gpu.index", "7"}, {"gpu.uuid", "GPU-1"}}), known);
  EXPECT_EQ(of({{".pci", "00000000:18:00.0"}}), known) << "by its address where there is no UUID";
  EXPECT_FALSE(subjects_.owned(known));
}

TEST_F(GpuSubjectsTest, AGpuThatNobodyToldOfIsMade) {
  const EntityId made = of({{"gpu.index", "3"}, {"gpu.uuid", "GPU-2"}, {"gpu.model", "T4"}});
  ASSERT_TRUE(made);
  EXPECT_TRUE(subjects_.owned(made));
  EXPECT_EQ(entities_.attribute(made, "gpu.vendor"), "nvidia");
  EXPECT_EQ(entities_.attribute(made, "gpu.index"), "3");
  EXPECT_EQ(of({{"gpu.index", "3"}, {"gpu.uuid", "GPU-2"}, {"gpu.model", "T4"}}), made);
}

TEST_F(GpuSubjectsTest, MigInstancesAreKeptApart) {
  const EntityId gpu = nvml_gpu("GPU-1");
  const EntityId known = entities_.intern(
      EntityKind::mig, gpu, {{"gpu.mig.instance_id", "7"}, {"gpu.mig.uuid", "MIG-a"}});
  const EntityId seventh = of({{"gpu.uuid", "GPU-1"}, {"gpu.mig.instance_id", "7"}});
  const EntityId eighth = of({{"gpu.uuid", "GPU-1"}, {"gpu.mig.instance_id", "8"}});
  EXPECT_EQ(seventh, known);
  EXPECT_NE(eighth, known);
  EXPECT_NE(eighth, gpu);
  EXPECT_EQ(entities_.ancestor(eighth, EntityKind::gpu), gpu);
  EXPECT_EQ(entities_.attribute(eighth, "gpu.mig.parent_uuid"), "GPU-1");
}

TEST_F(GpuSubjectsTest, WithoutAnIdentityThereIsNoGpu) {
  EXPECT_FALSE(of({{"gpu.index", "0"}}));
  EXPECT_FALSE(of({}));
}

TEST_F(GpuSubjectsTest, NoticesWhenTheDriverTellsOfAGpuThatWasMade) {
  const EntityId made = of({{"gpu.uuid", "GPU-1"}});
  EXPECT_FALSE(subjects_.outdated());
  const EntityId known = nvml_gpu("GPU-1");
  EXPECT_TRUE(subjects_.outdated());
  entities_.remove(made, [](EntityId) {});
  EXPECT_FALSE(subjects_.outdated());
  EXPECT_EQ(of({{"gpu.uuid", "GPU-1"}}), known);
}

}  // namespace
}  // namespace warpsight::engines
