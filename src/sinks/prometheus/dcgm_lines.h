// The DCGM-compatible part of the page.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"
#include "sinks/prometheus/dcgm_names.h"
#include "sinks/prometheus/page_format.h"

namespace warpsight {

// Not thread-safe. Allocates only when a series or a device is new.
class DcgmLines {
 public:
  DcgmLines(const EntityTable& entities, std::span<const Attribute> resource);

  void render(const Snapshot& snapshot, PageFormat format, std::string& out);

 private:
  static constexpr uint32_t kNoDevice = UINT32_MAX;

  // A GPU or a MIG instance.
  struct Device {
    EntityId entity;
    EntityId gpu;   // itself, or the one the instance is a part of
    EntityId info;  // the facet that carries versions and numbers; none until it was seen
    std::string labels;
  };

  // A series' part in a row.
  struct Use {
    uint32_t row;
    bool part;
    double weight;
  };

  struct Slot {
    uint32_t birth = 0;
    uint32_t device = kNoDevice;
    std::vector<Use> uses;
  };

  struct Cell {
    double whole = 0;
    double parts = 0;
    bool has_whole = false;
    bool has_parts = false;
  };

  void forget_if_device_ended();
  void learn(Slot& slot, const Series& series);
  uint32_t device_of(EntityId entity);
  void relabel();
  std::string labels_of(const Device& device) const;
  void emit(PageFormat format, std::string& out) const;

  const EntityTable& entities_;
  std::string hostname_;
  std::vector<Device> devices_;
  std::vector<Slot> slots_;
  std::vector<Cell> cells_;  // row by device
  bool relabel_ = false;
};

}  // namespace warpsight
