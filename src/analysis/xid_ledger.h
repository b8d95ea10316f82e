// Makes one account of the XIDs that several sources report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch.h"
#include "core/clock.h"
#include "core/entity.h"
#include "core/registry.h"

namespace warpsight {

// Sources report "gpu.xid.raw" (attributes gpu.xid.code, gpu.pci.address or an entity with .pci,
// source, and history=true for what came before the agent) and "gpu.fallen_off_bus.raw", which
// is XID 79 said without its number. The same GPU and code within two seconds from different
// sources is one error; the same source counts each time it speaks.
class XidLedger final : public Analysis {
 public:
  explicit XidLedger(EntityTable& entities) : entities_(entities) {}

  // Takes the raw events out of `events` and adds a finished "gpu.xid" to `out` for each error,
  // told once. `events` may be out.events.
  void absorb(std::vector<Event>& events, Batch& out) override;

  // Appends every counter and the last error of each GPU, so that they stay fresh. The points
  // are of `now`, and of the period `out` was begun with.
  void publish(Time now, Batch& out);
  void run(const View& view, Batch& out) override {
    out.begin(view.now(), std::chrono::seconds{1});
    publish(view.now(), out);
  }

  // Errors told but not counted, for want of an address or by a bound.
  uint64_t uncounted() const { return uncounted_; }

 private:
  struct Occurrence {
    Time time;
    uint32_t sources;  // who has reported it, a bit each
  };
  struct Code {
    unsigned code;
    uint64_t count = 0;
    EntityId facet;
    std::vector<Occurrence> recent;
  };
  // Errors that the same is mostly to blame for.
  struct Class {
    std::string_view name;
    EntityId facet;
    std::vector<Time> recent;
  };
  struct Gpu {
    std::string address;
    EntityId entity;
    bool stand_in = false;  // the entity is ours: no source knows this GPU
    unsigned last_code = 0;
    Time last_time{};
    std::vector<Code> codes;
    std::vector<Class> classes;
  };

  void take(const Event& raw, Batch& out);
  // Whether the error was unheard of. Counts it then.
  bool enter(Gpu& gpu, unsigned code, Time time, uint32_t source);
  Event finish(const Event& raw, unsigned code, std::string_view address, EntityId entity) const;

  std::string address_of(const Event& raw) const;
  // nullptr when there are too many.
  Gpu* gpu_at(const std::string& address);
  Code* code_of(Gpu& gpu, unsigned code);
  static void note_class(Gpu& gpu, unsigned code, Time time);
  void publish_classes(Gpu& gpu, Time now, Batch& out);
  // kNoEntity when no source knows a GPU there.
  EntityId find_entity(std::string_view address) const;
  // Finds the GPU's entity, or makes one to stand in; ends that once the real one is there.
  void resolve(Gpu& gpu, Batch& out);
  uint32_t source_bit(std::string_view name);

  EntityTable& entities_;
  std::vector<Gpu> gpus_;
  std::vector<std::string> sources_;
  std::vector<Event> finished_;
  uint64_t uncounted_ = 0;
};

}  // namespace warpsight
