#include "sources/nvml/schedule.h"

#include <algorithm>
#include <cmath>

namespace warpsight::nvml {
namespace {

using std::chrono::seconds;
constexpr size_t kClasses = static_cast<size_t>(CostClass::count);
constexpr std::array<Duration, kClasses> kPeriods = {
    seconds{0}, seconds{2}, seconds{5}, seconds{5}, seconds{10}, seconds{10}, seconds{60},
};

}  // namespace

Duration Schedule::period(CostClass which) const {
  return std::max(tick_, kPeriods[static_cast<size_t>(which)]);
}

// Multiples of the golden ratio fall evenly into the period however many GPUs there are; classes
// are shifted against each other.
Duration Schedule::first_wait(CostClass which) const {
  constexpr double kGolden = 0.618033988749895;
  constexpr double kShift = 0.37;
  const double share =
      std::fmod(kGolden * static_cast<double>(slot_) + kShift * static_cast<double>(which), 1.0);
  const auto wait = std::chrono::duration_cast<Duration>(period(which) * share);
  return std::max(wait, tick_);
}

bool Schedule::take(CostClass which, SteadyTime now) {
  if (which == CostClass::tick) return true;
  Due& due = due_[static_cast<size_t>(which)];
  if (!due.started) {
    due.started = true;
    due.next = now + first_wait(which);
    return true;
  }
  if (now + tick_ / 2 < due.next) return false;
  due.next += period(which);
  if (due.next <= now) due.next = now + period(which);
  return true;
}

}  // namespace warpsight::nvml
