// What a source says in one run: points, things it could not read, things that ended, events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "core/clock.h"
#include "core/entity.h"

namespace warpsight {

struct Point {
  Metric metric;
  uint16_t period_ds;  // tenths of a second until the next one is due
  EntityId entity;
  Time time;
  double value;
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

// Reused from run to run: clear() keeps the memory.
class Batch {
 public:
  // Points added from now on carry this time and are due again after `period`.
  void begin(Time now, Duration period) {
    now_ = now;
    period_ds_ = static_cast<uint16_t>(std::chrono::ceil<Tenths>(period).count());
  }

  void add(Metric metric, EntityId entity, double value) { add(metric, entity, value, now_); }
  void add(Metric metric, EntityId entity, double value, Time time) {
    points.push_back({metric, period_ds_, entity, time, value});
  }
  void missing(Metric metric, EntityId entity, Absence why, std::string_view detail) {
    absences.push_back({metric, why, entity, std::string(detail)});
  }

  void clear() {
    points.clear();
    absences.clear();
    gone.clear();
    events.clear();
  }

  std::vector<Point> points;
  std::vector<Missing> absences;  // only on change: a source says once what it cannot read
  std::vector<EntityId> gone;     // ended; taken out after the points above were applied
  std::vector<Event> events;

 private:
  using Tenths = std::chrono::duration<int64_t, std::deci>;
  Time now_{};
  uint16_t period_ds_ = 10;
};

std::string_view to_string(Absence absence);
std::string_view to_string(Severity severity);

}  // namespace warpsight
