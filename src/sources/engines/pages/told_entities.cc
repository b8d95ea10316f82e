#include "sources/engines/pages/told_entities.h"

#include <utility>

namespace warpsight::engines {

void ToldEntities::keep_only(std::span<const Slot> slots, Batch& out) {
  std::unordered_set<uint32_t> before = std::exchange(told_, {});
  for (const Slot& slot : slots) {
    EntityId id = slot.entity;
    while (id && told_.insert(id.bits).second) id = entities_.get(id).parent;
  }
  std::erase_if(before, [&](uint32_t bits) { return told_.contains(bits); });
  std::erase_if(out.gone, [&](EntityId id) { return told_.contains(id.bits); });
  for (const uint32_t bits : before) {
    if (may_end(EntityId{bits})) out.gone.push_back(EntityId{bits});
  }
}

bool ToldEntities::may_end(EntityId id) const {
  const Entity entity = entities_.get(id);
  if (entity.kind != EntityKind::facet) return subjects_.owned(id);
  const EntityKind above = entities_.get(entity.parent).kind;
  return above == EntityKind::engine || above == EntityKind::model ||
         subjects_.owned(entity.parent);
}

}  // namespace warpsight::engines
