// JSON lines: one object a point, one an event. Shared by the sinks that write lines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"
#include "core/registry.h"

namespace warpsight {

// Appends the time as RFC 3339 in UTC with nine digits: "2024-05-01T12:00:00.123456789Z".
class TimeText {
 public:
  void append(std::string& out, Time time);

 private:
  int64_t second_ = INT64_MIN;  // the one whose text is kept
  char text_[20] = {};          // "2024-05-01T12:00:00."
};

// ,"resource":{..},"simulated":true
std::string json_resource(std::span<const Attribute> resource);

// {"time":..,"metric":..,"value":..,"start":..,"unit":..,"kind":..,"attributes":{..},
//  "resource":{..},"simulated":true}
// {"time":..,"metric":..,"histogram":{"count":..,"sum":..,"bounds":[..],"counts":[..]},"start":..,..}
// {"time":..,"event":..,"severity":..,"message":..,"attributes":{..},"resource":{..},..}
//
// Keeps what does not change for each series, so that a tick writes times and values. Counters and
// histograms have a start; a histogram has one count more than bounds, each of its bucket alone. An
// empty unit and "simulated" where nothing is are left out. Not thread-safe.
class JsonLines {
 public:
  JsonLines(const EntityTable& entities, std::span<const Attribute> resource, bool aliases);

  // Appends the snapshot's points, then its events.
  void append(const Snapshot& snapshot, std::string& out);

  // One sample, with its aliases a line each; nothing when its series has ended since.
  void append_point(const Snapshot& snapshot, const Sample& sample, std::string& out);
  void append_event(const Event& event, std::string& out);

 private:
  struct Line {
    std::string head;  // ,"metric":"gpu.utilization","value":
    std::string tail;  // ,"unit":"1",... to the end of the line
    double scale = 1;
  };
  struct Lines {
    uint32_t birth = 0;
    bool has_start = false;
    std::vector<Line> lines;  // under the metric's name, then under its aliases
  };

  const Lines& lines_of(const Sample& sample, const Series& series);
  Line make_line(std::string_view name, std::string_view unit, const Series& series) const;
  void append_attributes(std::string& out, EntityId entity, const MetricRow* row,
                         std::span<const Attribute> more) const;

  const EntityTable& entities_;
  std::string suffix_;  // the resource and the line's end
  bool aliases_;
  std::vector<Lines> lines_;  // by slot
  TimeText time_;
  TimeText start_;
};

}  // namespace warpsight
