#include "core/entity.h"

#include <algorithm>
#include <utility>

namespace warpsight {
namespace {

uint64_t mix(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return (hash ^ 0xff) * 0x100000001b3ULL;
}

uint64_t hash_of(EntityKind kind, EntityId parent, std::span<const AttributeView> attributes) {
  uint64_t hash =
      0xcbf29ce484222325ULL ^ (uint64_t{parent.bits} << 8) ^ static_cast<uint64_t>(kind);
  for (const AttributeView& a : attributes) hash = mix(mix(hash, a.key), a.value);
  return hash;
}

bool same(const Entity& entity, EntityKind kind, EntityId parent,
          std::span<const AttributeView> attributes) {
  return entity.kind == kind && entity.parent == parent &&
         std::ranges::equal(entity.attributes, attributes,
                            [](const Attribute& a, const AttributeView& b) {
                              return a.key == b.key && a.value == b.value;
                            });
}

EntityId make_id(uint32_t index, uint8_t generation) {
  return EntityId{index | (uint32_t{generation} << kEntityIndexBits)};
}

}  // namespace

EntityTable::EntityTable(size_t limit)
    : limit_(std::min<size_t>(limit, (1U << kEntityIndexBits) - 2)), slots_(1) {}

EntityId EntityTable::intern(EntityKind kind, EntityId parent,
                             std::span<const AttributeView> attributes) {
  const uint64_t hash = hash_of(kind, parent, attributes);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Slot& slot = slots_[it->second];
    if (same(slot.entity, kind, parent, attributes)) return make_id(it->second, slot.generation);
  }
  if (live_ >= limit_ || (parent && find_slot(parent) == nullptr)) return kNoEntity;

  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.entity = {kind, parent, {}};
  slot.entity.attributes.reserve(attributes.size());
  for (const AttributeView& a : attributes) {
    slot.entity.attributes.push_back({std::string(a.key), std::string(a.value)});
  }
  slot.hash = hash;
  slot.live = true;
  ++live_;
  ++changes_[static_cast<size_t>(kind)];
  by_hash_.emplace(hash, index);
  return make_id(index, slot.generation);
}

const EntityTable::Slot* EntityTable::find_slot(EntityId id) const {
  const uint32_t index = entity_index(id);
  if (index == 0 || index >= slots_.size()) return nullptr;
  const Slot& slot = slots_[index];
  return slot.live && make_id(index, slot.generation) == id ? &slot : nullptr;
}

void EntityTable::release(uint32_t index) {
  Slot& slot = slots_[index];
  const auto [first, last] = by_hash_.equal_range(slot.hash);
  for (auto it = first; it != last; ++it) {
    if (it->second != index) continue;
    by_hash_.erase(it);
    break;
  }
  ++changes_[static_cast<size_t>(slot.entity.kind)];
  slot.entity = {};
  slot.worn.reset();
  slot.live = false;
  slot.generation =
      slot.generation == UINT8_MAX ? uint8_t{1} : static_cast<uint8_t>(slot.generation + 1);
  free_.push_back(index);
  --live_;
}

// One look at all slots for each level, however many are removed.
std::vector<EntityId> EntityTable::subtrees(std::span<const EntityId> ids) const {
  std::vector<EntityId> found;
  std::vector<bool> taken(slots_.size());
  const auto take = [&](EntityId id) {
    if (taken[entity_index(id)]) return;
    taken[entity_index(id)] = true;
    found.push_back(id);
  };
  for (const EntityId id : ids) {
    if (find_slot(id) != nullptr) take(id);
  }
  for (size_t before = 0; before < found.size();) {
    before = found.size();
    for (uint32_t index = 1; index < slots_.size(); ++index) {
      const Slot& slot = slots_[index];
      const EntityId parent = slot.entity.parent;
      if (!slot.live || !parent || !taken[entity_index(parent)]) continue;
      if (find_slot(parent) != nullptr) take(make_id(index, slot.generation));
    }
  }
  std::ranges::reverse(found);
  return found;
}

bool EntityTable::alive(EntityId id) const {
  const std::lock_guard lock(mutex_);
  return find_slot(id) != nullptr;
}

size_t EntityTable::size() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

Entity EntityTable::get(EntityId id) const {
  const std::lock_guard lock(mutex_);
  const Slot* slot = find_slot(id);
  return slot == nullptr ? Entity{} : slot->entity;
}

EntityId EntityTable::ancestor(EntityId id, EntityKind kind) const {
  const std::lock_guard lock(mutex_);
  for (const Slot* slot = find_slot(id); slot != nullptr; slot = find_slot(id)) {
    if (slot->entity.kind == kind) return id;
    id = slot->entity.parent;
  }
  return kNoEntity;
}

std::string EntityTable::attribute(EntityId id, std::string_view key) const {
  const std::lock_guard lock(mutex_);
  for (const Slot* slot = find_slot(id); slot != nullptr; slot = find_slot(slot->entity.parent)) {
    for (const Attribute& a : slot->entity.attributes) {
      if (a.key == key) return a.value;
    }
  }
  return {};
}

EntityId EntityTable::wearer_of(EntityId id) const {
  for (const Slot* slot = find_slot(id); slot != nullptr; slot = find_slot(id)) {
    if (slot->entity.kind != EntityKind::facet) return id;
    id = slot->entity.parent;
  }
  return kNoEntity;
}

EntityId EntityTable::wearer(EntityId id) const {
  const std::lock_guard lock(mutex_);
  return wearer_of(id);
}

std::shared_ptr<const Worn> EntityTable::worn(EntityId id) const {
  const std::lock_guard lock(mutex_);
  const Slot* slot = find_slot(wearer_of(id));
  return slot == nullptr ? nullptr : slot->worn;
}

bool EntityTable::wear(EntityId id, std::shared_ptr<const Worn> worn) {
  const std::lock_guard lock(mutex_);
  if (find_slot(id) == nullptr) return false;
  Slot& slot = slots_[entity_index(id)];
  const bool same = slot.worn == worn || (slot.worn && worn && *slot.worn == *worn);
  slot.worn = std::move(worn);
  return !same;
}

uint64_t EntityTable::changes(EntityKind kind) const {
  const std::lock_guard lock(mutex_);
  return changes_[static_cast<size_t>(kind)];
}

}  // namespace warpsight
