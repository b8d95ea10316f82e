// The entities that a page's points are about, so that they end when it has no more to say of them.
#pragma once

#include <unordered_set>

#include "core/batch.h"
#include "core/entity.h"
#include "sources/engines/pages/bindings.h"
#include "sources/engines/pages/subjects.h"

namespace warpsight::engines {

class ToldEntities {
 public:
  ToldEntities(SubjectMaker& subjects, EntityTable& entities)
      : subjects_(subjects), entities_(entities) {}

  // From now on the page tells of these alone. What it told of before goes to `out.gone`, but for
  // subjects that are not its own and facets of devices, of which others may tell too. What was
  // to end with this batch and is told of again does not.
  void keep_only(std::span<const Slot> slots, Batch& out);

 private:
  bool may_end(EntityId id) const;

  SubjectMaker& subjects_;
  EntityTable& entities_;
  std::unordered_set<uint32_t> told_;  // EntityId::bits
};

}  // namespace warpsight::engines
