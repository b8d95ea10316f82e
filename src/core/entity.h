// Entities: the things metrics are about. A GPU, a MIG instance, a process on a GPU, an engine; and
// facets of those, such as the SM clock of a GPU. Interned once by a source, named by id after.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsight {

enum class EntityKind : uint8_t {
  agent,
  host,
  gpu,
  mig,
  process,
  facet,
  engine,  // a serving engine behind one address
  model,   // what it serves: a model, of one rank or replica where it has several
  owner,   // who owns the device above it
};

inline constexpr size_t kEntityKinds = 9;

// A key that starts with '.' joins things inside the agent (".pci") and never leaves it.
inline bool is_private(std::string_view key) { return key.starts_with('.'); }

struct AttributeView {
  std::string_view key;
  std::string_view value;
};

struct Attribute {
  std::string key;
  std::string value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

// Slot number and generation: the id of an entity that is gone never names its successor.
struct EntityId {
  uint32_t bits = 0;
  friend bool operator==(EntityId, EntityId) = default;
  explicit operator bool() const { return bits != 0; }
};
inline constexpr EntityId kNoEntity{};

struct Entity {
  EntityKind kind = EntityKind::facet;
  EntityId parent;
  std::vector<Attribute> attributes;  // its own; the parents' come before them
};

// What a thing says of its owner besides what it is itself; it may change in the thing's life, and
// the registry then begins the series that show it anew.
struct Worn {
  std::vector<Attribute> attributes;
  bool on_counters = false;  // counters show it too, not gauges alone

  friend bool operator==(const Worn&, const Worn&) = default;
};

// Thread-safe. Attribute sets are immutable; a thing whose attributes change is a new entity.
class EntityTable {
 public:
  explicit EntityTable(size_t limit = 200'000);

  // The id of the entity with exactly these attributes below `parent`, made if need be.
  // kNoEntity when the table is full or the parent is gone.
  EntityId intern(EntityKind kind, EntityId parent, std::span<const AttributeView> attributes);
  EntityId intern(EntityKind kind, EntityId parent,
                  std::initializer_list<AttributeView> attributes) {
    return intern(kind, parent, std::span(attributes.begin(), attributes.size()));
  }

  // Ends entities and everything below them; calls on_gone for each id, children first.
  template <typename Fn>
  void remove(std::span<const EntityId> ids, Fn&& on_gone);
  template <typename Fn>
  void remove(EntityId id, Fn&& on_gone) {
    remove(std::span(&id, 1), std::forward<Fn>(on_gone));
  }

  bool alive(EntityId id) const;
  size_t size() const;

  // A copy, or an empty facet for an id that is gone.
  Entity get(EntityId id) const;

  // Calls fn(key, value) for each attribute that leaves the agent, parents' first.
  template <typename Fn>
  void for_each_attribute(EntityId id, Fn&& fn) const;

  // Nearest of the given kind on the way up from `id`, itself included.
  EntityId ancestor(EntityId id, EntityKind kind) const;

  // Value of an attribute on the way up, nearest first, private ones included; empty when there
  // is none.
  std::string attribute(EntityId id, std::string_view key) const;

  // A device or a process wears what it and its facets show of an owner; null: nothing. False when
  // it wore the same already.
  bool wear(EntityId id, std::shared_ptr<const Worn> worn);
  // The device, process or other thing whose facet `id` is; itself when it is none.
  EntityId wearer(EntityId id) const;
  // Of the wearer; null when it wears nothing.
  std::shared_ptr<const Worn> worn(EntityId id) const;

  // How many entities of a kind have come or gone.
  uint64_t changes(EntityKind kind) const;

  // Calls fn(id, entity) for every live entity of a kind.
  template <typename Fn>
  void for_each(EntityKind kind, Fn&& fn) const;

 private:
  struct Slot {
    Entity entity;
    std::shared_ptr<const Worn> worn;
    uint64_t hash = 0;
    uint8_t generation = 1;
    bool live = false;
  };

  const Slot* find_slot(EntityId id) const;
  EntityId wearer_of(EntityId id) const;
  void release(uint32_t index);
  std::vector<EntityId> subtrees(std::span<const EntityId> ids) const;  // children first

  mutable std::mutex mutex_;
  size_t limit_;
  size_t live_ = 0;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  std::array<uint64_t, kEntityKinds> changes_{};
};

inline constexpr uint32_t kEntityIndexBits = 24;
inline uint32_t entity_index(EntityId id) { return id.bits & ((1U << kEntityIndexBits) - 1); }

template <typename Fn>
void EntityTable::remove(std::span<const EntityId> ids, Fn&& on_gone) {
  const std::lock_guard lock(mutex_);
  for (const EntityId gone : subtrees(ids)) {
    on_gone(gone);
    release(entity_index(gone));
  }
}

template <typename Fn>
void EntityTable::for_each_attribute(EntityId id, Fn&& fn) const {
  constexpr size_t kMaxDepth = 8;
  const std::lock_guard lock(mutex_);
  const Entity* chain[kMaxDepth];
  size_t depth = 0;
  for (const Slot* slot = find_slot(id); slot != nullptr && depth < kMaxDepth;
       slot = find_slot(slot->entity.parent)) {
    chain[depth++] = &slot->entity;
  }
  while (depth > 0) {
    for (const Attribute& a : chain[--depth]->attributes) {
      if (!is_private(a.key)) fn(a.key, a.value);
    }
  }
}

template <typename Fn>
void EntityTable::for_each(EntityKind kind, Fn&& fn) const {
  const std::lock_guard lock(mutex_);
  for (uint32_t index = 1; index < slots_.size(); ++index) {
    const Slot& slot = slots_[index];
    if (!slot.live || slot.entity.kind != kind) continue;
    fn(EntityId{index | (uint32_t{slot.generation} << kEntityIndexBits)}, slot.entity);
  }
}

}  // namespace warpsight
