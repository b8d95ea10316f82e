// Snapshots as OTLP metrics requests. What does not change about a series is encoded once; a tick
// copies it and adds times and values. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"
#include "wire/otlp/envelope.h"
#include "wire/otlp/metric_frame.h"

namespace warpsight::otlp {

// A peer is told of each point once: a sample as old as the one told before is left out. Of a
// series that is not published any more it is told so, once, by a point without a value.
class MetricsEncoder {
 public:
  // Below the four mebibytes that a gRPC server takes unless told otherwise.
  static constexpr size_t kRequestLimit = size_t{3} << 20;

  // `entities` and `envelope` must outlive it.
  MetricsEncoder(const EntityTable& entities, const Envelope& envelope, MetricsForm form,
                 size_t request_limit = kRequestLimit);
  ~MetricsEncoder();
  MetricsEncoder(const MetricsEncoder&) = delete;
  MetricsEncoder& operator=(const MetricsEncoder&) = delete;

  // Takes in what is new in the snapshot. Returns how many requests it makes, none when nothing is.
  size_t take(const Snapshot& snapshot);

  // Appends one of them; returns its number of points.
  uint32_t append_request(size_t index, std::string& out) const;

 private:
  static constexpr uint32_t kNoSlot = UINT32_MAX;

  struct Past;  // what only differences and exponential histograms need

  struct State {
    uint32_t birth = 0;  // of the series that the rest is about
    uint32_t seen = 0;   // the tick that had it last
    Metric metric{};
    bool told = false;  // the peer knows of it, and not that it ended
    Time last{};        // of the point told last
    std::string attributes;
    std::unique_ptr<Past> past;
  };

  // A point to be told: its attributes, where it has a slot, and a part of `bodies_`.
  struct Pick {
    Metric metric{};
    uint32_t slot = kNoSlot;
    uint32_t body = 0;
    uint32_t body_size = 0;
    uint32_t size = 0;  // of both
  };

  // Points of one metric in one request.
  struct Group {
    Metric metric;
    uint32_t first;
    uint32_t last;
    size_t size;  // of the points, framed
  };

  struct Request {
    uint32_t first_group;
    uint32_t last_group;
  };

  const MetricFrame& frame_of(Metric metric);
  State& state_of(const Sample& sample, const Series& series, Time now);
  // False when there is nothing to tell yet.
  bool append_body(State& state, const Snapshot& snapshot, const Sample& sample,
                   const Series& series);
  bool append_histogram(State& state, const Series& series, Time time, const Histogram& histogram);
  // Of the body that was appended last.
  void add_pick(Metric metric, uint32_t slot, uint32_t body, size_t attributes);
  void tell_end(State& state, Time now);
  void tell_missing_ends(Time now);
  void form_requests();
  size_t metric_size(const Group& group) const;
  // Exactly that size and its frame. Returns the end.
  char* write_metric(char* out, const Group& group) const;

  const EntityTable& entities_;
  const Envelope& envelope_;
  const MetricsForm form_;
  const size_t request_limit_;
  std::deque<MetricFrame> frames_;  // by metric; made when first needed
  std::vector<State> states_;       // by slot
  size_t told_ = 0;                 // states that are
  uint32_t tick_ = 0;

  // Of the last snapshot taken.
  std::vector<Pick> picks_;  // grouped by metric
  std::string bodies_;
  std::vector<Group> groups_;
  std::vector<Request> requests_;
  Histogram change_;
  std::vector<uint64_t> buckets_;
};

}  // namespace warpsight::otlp
