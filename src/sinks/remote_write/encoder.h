// Snapshots as remote write 2.0 requests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"
#include "runtime/sink.h"
#include "sinks/remote_write/series_book.h"
#include "sinks/remote_write/target.h"

namespace warpsight {

// Names and labels are those of the page, and the target's; a histogram is its buckets, cumulative,
// its sum and its count. A point is told once; a series that is no longer published is marked as
// ended, once. Keeps what does not change of each series, so that a tick writes times and values
// and, while no series comes or goes, takes no memory. Not thread-safe.
class RemoteWriteEncoder {
 public:
  RemoteWriteEncoder(const EntityTable& entities, RemoteTarget target, bool aliases)
      : entities_(entities), target_(std::move(target)), aliases_(aliases) {}

  void encode(const Snapshot& snapshot, Outbox& out);

 private:
  struct Part {
    SeriesBook::Handle series;
    double scale = 1;
  };
  // What a slot of the registry is to the peer: the metric and its aliases, or a histogram's
  // buckets, sum and count.
  struct Slot {
    uint32_t birth = 0;
    bool cumulative = false;
    std::vector<double> bounds;
    std::vector<Part> parts;
  };

  bool is_current(const Slot& slot, const Sample& sample, const Histogram* histogram) const;
  void prepare(Slot& slot, const Sample& sample, const Series& series, const Histogram* histogram);
  void add_numbers(Slot& slot, const Series& series);
  void add_histogram(Slot& slot, const Series& series);
  Part make_part(std::string_view name, const MetricDescription& description, const Series& series,
                 std::string_view bound = {});
  void tell_histogram(const Slot& slot, const Histogram& histogram, RemoteSample sample,
                      RequestWriter& out);

  const EntityTable& entities_;
  RemoteTarget target_;
  bool aliases_;
  SeriesBook book_;
  SeriesBook::Handle info_;
  std::vector<Slot> slots_;
};

}  // namespace warpsight
