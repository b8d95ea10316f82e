// What time it is, as far as anything may be deleted for it: a clock that jumps ahead does not age
// what was recorded before until frames have gone on from there for a while.
#pragma once

#include <cstdint>

#include "history/memory.h"
#include "history/sqlite.h"

namespace warpsight {

class ConfirmedTime {
 public:
  // The time of the next frame, in milliseconds.
  void see(int64_t time);
  // Zero: no frame was seen.
  int64_t value() const { return value_; }

 private:
  bool goes_on_from_jump(int64_t time) const;

  int64_t value_ = 0;
  int64_t jumped_to_ = 0;
  int64_t last_ = 0;     // of the frames since the jump
  uint32_t frames_ = 0;  // since the jump; zero: there was none
};

// As the frames that are written or in memory confirm it.
Result<ConfirmedTime> confirmed_time_of(Database& database, const Memory& memory);

}  // namespace warpsight
