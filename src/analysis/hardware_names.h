// The GPUs' values once more, under the names of OpenTelemetry's hardware conventions (hw.*).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "core/registry.h"

namespace warpsight {

// Each GPU and MIG instance becomes one thing of its own with hw.id, hw.name and so on; it ends
// when nothing is said of it any more. Allocates only when a device, or a part of one, is new.
class HardwareNames final : public Analysis {
 public:
  explicit HardwareNames(EntityTable& entities) : entities_(entities) {}
  void run(const View& view, Batch& out) override;

  // hw.state, from best to worst.
  enum State : uint8_t { ok, degraded, predicted_failure, failed, state_count };

 private:
  // A count of errors that is the sum of several series.
  struct Sum {
    EntityId entity;
    double value = 0;
    bool known = false;
  };
  struct Device {
    EntityId info;                             // of the GPU: what its attributes were taken from
    EntityId entity;                           // by the conventions' attributes
    std::array<EntityId, state_count> states;  // of GPUs; made when first needed
    Sum corrected;
    Sum uncorrected;
    State state = ok;
    bool seen = false;  // something was said of it at this publish
  };
  enum class ErrorCount : uint8_t { none, corrected, uncorrected, since_reset };
  // What one series of ours becomes.
  struct Target {
    EntityId source;  // the device
    EntityId entity;
    ErrorCount count = ErrorCount::none;
  };

  void begin(const View& view, Batch& out);
  void copy_values(const View& view, Batch& out);
  void memory_share(const View& view, Batch& out);
  void judge(const View& view);
  void add_up_errors(const View& view);
  void tell_errors_and_states(Batch& out);
  void end_unseen(Batch& out);

  Device* device_of(EntityId source);
  EntityId make_entity(EntityId source, EntityId info) const;
  EntityId part(const Device& device, std::string_view key, std::string_view value) const;
  // Finds what the series becomes; `make` fills it in the first time.
  template <typename Make>
  const Target& target_of(uint32_t use, EntityId series_entity, Make&& make);
  void note(EntityId series_entity, State state);

  EntityTable& entities_;
  std::unordered_map<uint32_t, Device> devices_;  // by the id of the GPU or MIG instance
  std::unordered_map<uint64_t, Target> targets_;  // by use and entity
};

}  // namespace warpsight
