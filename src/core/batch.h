// What a source says in one run: points, things it could not read, things that ended, events.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "core/clock.h"
#include "core/entity.h"
#include "core/ownership.h"

namespace warpsight {

struct Point {
  Metric metric;
  uint16_t period_ds;  // tenths of a second until the next one is due
  EntityId entity;
  Time time;
  double value;
};

struct SeriesKey {
  Metric metric;
  EntityId entity;
};

// When the counter at `points[point]` began.
struct CounterStart {
  uint32_t point;
  Time time;
};

// A distribution since `start`. Its buckets stand in the batch's pools: `bounds` upper bounds in
// rising order, and one count more than bounds, the last being of what lies above all of them.
// Counts are of each bucket alone, not cumulative over buckets.
struct HistogramPoint {
  Metric metric;
  uint16_t period_ds;
  EntityId entity;
  Time time;
  Time start;  // zero: not known, the registry finds one
  double sum;
  uint32_t first_bound;
  uint32_t first_count;
  uint32_t bounds;
};

// Why a value that might have been there is not. Absent is never zero.
enum class Absence : uint8_t {
  unsupported,  // this hardware or driver does not have it
  failed,       // it has, but the last read went wrong
};

struct Missing {
  Metric metric;
  Absence why;
  EntityId entity;
  std::string detail;  // the driver's word for it
};

enum class Severity : uint8_t { info, warning, error };

// Something that happened at a moment. `name` is stable and dotted ("gpu.xid").
struct Event {
  Time time;
  std::string name;
  Severity severity = Severity::info;
  EntityId entity;
  std::string message;
  std::vector<Attribute> attributes;

  std::string_view attribute(std::string_view key) const {
    for (const Attribute& a : attributes) {
      if (a.key == key) return a.value;
    }
    return {};
  }
};

// What an entity wears from now on; null: nothing.
struct Dressing {
  EntityId entity;
  std::shared_ptr<const Worn> worn;
};

// Reused from run to run: clear() keeps the memory.
class Batch {
 public:
  // Points added from now on carry this time and are due again after `period`.
  void begin(Time now, Duration period) {
    now_ = now;
    period_ds_ = static_cast<uint16_t>(std::chrono::ceil<Tenths>(period).count());
  }

  Time now() const { return now_; }
  Duration period() const { return std::chrono::milliseconds{100} * period_ds_; }

  void add(Metric metric, EntityId entity, double value) { add(metric, entity, value, now_); }
  void add(Metric metric, EntityId entity, double value, Time time) {
    points.push_back({metric, period_ds_, entity, time, value});
  }
  // A counter that is known to have begun at `start`; zero: not known.
  void add_counter(Metric metric, EntityId entity, double value, Time start) {
    if (start != Time{}) starts.push_back({static_cast<uint32_t>(points.size()), start});
    add(metric, entity, value);
  }
  void add_histogram(Metric metric, EntityId entity, std::span<const double> bounds,
                     std::span<const uint64_t> counts, double sum, Time start = {}) {
    histograms.push_back(
        {metric, period_ds_, entity, now_, start, sum, static_cast<uint32_t>(bound_pool.size()),
         static_cast<uint32_t>(count_pool.size()), static_cast<uint32_t>(bounds.size())});
    bound_pool.insert(bound_pool.end(), bounds.begin(), bounds.end());
    count_pool.insert(count_pool.end(), counts.begin(), counts.end());
  }
  std::span<const double> bounds_of(const HistogramPoint& point) const {
    return std::span(bound_pool).subspan(point.first_bound, point.bounds);
  }
  std::span<const uint64_t> counts_of(const HistogramPoint& point) const {
    return std::span(count_pool).subspan(point.first_count, point.bounds + 1);
  }
  void missing(Metric metric, EntityId entity, Absence why, std::string_view detail) {
    absences.push_back({metric, why, entity, std::string(detail)});
  }

  void clear() {
    points.clear();
    starts.clear();
    histograms.clear();
    bound_pool.clear();
    count_pool.clear();
    renewed.clear();
    absences.clear();
    gone.clear();
    events.clear();
    ownership.reset();
    dressings.clear();
  }

  std::vector<Point> points;
  std::vector<CounterStart> starts;        // in the order of points; not from probe children
  std::vector<HistogramPoint> histograms;  // not from probe children
  std::vector<double> bound_pool;
  std::vector<uint64_t> count_pool;
  // Counters and histograms that are made up otherwise than before: what they say now cannot be set
  // against what they said. They begin as new series, before the points above are taken.
  std::vector<SeriesKey> renewed;
  std::vector<Missing> absences;  // only on change: a source says once what it cannot read
  std::vector<EntityId> gone;     // ended; taken out after the points above were applied
  std::vector<Event> events;
  // Who owns what, as the source knows it now; null: as before. Not from probe children.
  std::shared_ptr<const Ownership> ownership;
  std::vector<Dressing> dressings;  // from analyses only

 private:
  using Tenths = std::chrono::duration<int64_t, std::deci>;
  Time now_{};
  uint16_t period_ds_ = 10;
};

std::string_view to_string(Absence absence);
std::string_view to_string(Severity severity);

}  // namespace warpsight
