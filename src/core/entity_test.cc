#include "core/entity.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpsight {
namespace {

std::string attributes_of(const EntityTable& table, EntityId id) {
  std::string text;
  table.for_each_attribute(id, [&](std::string_view key, std::string_view value) {
    text.append(key).append("=").append(value).append(" ");
  });
  return text;
}

TEST(EntityTable, SameAttributesBelowTheSameParentAreOneEntity) {
  EntityTable table;
  const EntityId gpu = table.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  const EntityId sm = table.intern(EntityKind::facet, gpu, {{"gpu.clock.type", "sm"}});
  EXPECT_EQ(table.intern(EntityKind::facet, gpu, {{"gpu.clock.type", "sm"}}), sm);
  const EntityId other = table.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "1"}});
  EXPECT_NE(table.intern(EntityKind::facet, other, {{"gpu.clock.type", "sm"}}), sm);
}

TEST(EntityTable, ParentsAttributesComeFirstAndPrivateOnesStay) {
  EntityTable table;
  const EntityId gpu =
      table.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}, {".pci", "0000:06:00.0"}});
  const EntityId sm = table.intern(EntityKind::facet, gpu, {{"gpu.clock.type", "sm"}});
  EXPECT_EQ(attributes_of(table, sm), "gpu.index=0 gpu.clock.type=sm ");
  EXPECT_EQ(table.attribute(sm, ".pci"), "0000:06:00.0");
  EXPECT_EQ(table.ancestor(sm, EntityKind::gpu), gpu);
}

TEST(EntityTable, AnEndedEntityTakesWhatIsBelowItAlong) {
  EntityTable table;
  const EntityId gpu = table.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  const EntityId process = table.intern(EntityKind::process, gpu, {{"process.pid", "7"}});
  const EntityId facet = table.intern(EntityKind::facet, process, {{"x", "y"}});
  std::vector<EntityId> gone;
  table.remove(gpu, [&](EntityId id) { gone.push_back(id); });
  EXPECT_EQ(gone, (std::vector<EntityId>{facet, process, gpu}));
  EXPECT_EQ(table.size(), 0U);
}

TEST(EntityTable, AnOldIdNeverNamesItsSuccessor) {
  EntityTable table;
  const EntityId first = table.intern(EntityKind::process, kNoEntity, {{"process.pid", "1"}});
  table.remove(first, [](EntityId) {});
  const EntityId second = table.intern(EntityKind::process, kNoEntity, {{"process.pid", "2"}});
  EXPECT_NE(first, second);
  EXPECT_FALSE(table.alive(first));
  EXPECT_TRUE(table.alive(second));
  EXPECT_EQ(attributes_of(table, first), "");
}

TEST(EntityTable, IsBounded) {
  EntityTable table(2);
  EXPECT_TRUE(table.intern(EntityKind::facet, kNoEntity, {{"n", "1"}}));
  EXPECT_TRUE(table.intern(EntityKind::facet, kNoEntity, {{"n", "2"}}));
  EXPECT_FALSE(table.intern(EntityKind::facet, kNoEntity, {{"n", "3"}}));
}

TEST(EntityTable, NothingIsBornBelowWhatHasEnded) {
  EntityTable table;
  const EntityId gpu = table.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", "0"}});
  table.remove(gpu, [](EntityId) {});
  EXPECT_FALSE(table.intern(EntityKind::facet, gpu, {{"n", "1"}}));
}

}  // namespace
}  // namespace warpsight
