// What the agent says about itself: warpsight.*.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/registry.h"
#include "platform/process_stats.h"
#include "runtime/lane.h"
#include "runtime/sink_lane.h"

namespace warpsight {

class SelfReport final : public Analysis {
 public:
  SelfReport(EntityTable& entities, std::string_view version, bool simulated);

  // The lanes and sinks to speak of, until told otherwise. They outlive the next run.
  void watch(std::span<const std::unique_ptr<Lane>> lanes,
             std::span<const std::unique_ptr<SinkLane>> sinks);

  void absorb(std::vector<Event>& events, Batch& out) override;
  void run(const View& view, Batch& out) override;

 private:
  EntityId facet(std::initializer_list<AttributeView> attributes) {
    return entities_.intern(EntityKind::facet, agent_, attributes);
  }
  void sources(const View& view, Batch& out);
  void sinks(const View& view, Batch& out);
  void sink(const SinkLaneStatus& status, Time now, Batch& out);
  void drops(const View& view, Batch& out);
  void footprint(Batch& out);

  EntityTable& entities_;
  EntityId agent_;
  EntityId build_;
  bool simulated_;
  std::span<const std::unique_ptr<Lane>> lanes_;
  std::span<const std::unique_ptr<SinkLane>> sinks_;

  struct ProbeFootprint {
    explicit ProbeFootprint(int pid) : reader(pid) {}
    ProcessStatsReader reader;
    double cpu_seconds = 0;
  };

  uint64_t events_[3] = {};  // seen, by severity
  ProcessStatsReader self_;
  std::map<int, ProbeFootprint> children_;
  double ended_children_cpu_ = 0;  // keeps the sum a counter when a child is replaced
};

}  // namespace warpsight
