// What one publish hands to the history's writer: a value of each slot of the registry, and who
// lives in slots that have a new tenant.
#pragma once

#include <cstdint>
#include <vector>

#include "history/identity.h"
#include "history/query.h"

namespace warpsight {

struct Frame {
  struct Tenant {
    uint32_t slot;
    SeriesIdentity identity;
  };
  struct Value {
    uint32_t slot;
    double value;
  };

  int64_t time = 0;             // milliseconds
  std::vector<Tenant> tenants;  // as of this frame
  std::vector<Value> values;
  std::vector<KeptEvent> events;

  void clear() {
    tenants.clear();
    values.clear();
    events.clear();
  }
};

inline int64_t to_ms(Time time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}
inline Time from_ms(int64_t ms) { return Time{std::chrono::milliseconds{ms}}; }

}  // namespace warpsight
