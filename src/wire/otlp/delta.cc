#include "wire/otlp/delta.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace warpsight::otlp {

Delta::Mark Delta::move(Time start, Time time, bool fallen) {
  const bool reset = fallen || start != start_;
  // A start that is not after the point before would overlap what was told already.
  const Mark mark{reset ? std::max(start, time_) : time_, reset};
  start_ = start;
  time_ = time;
  return mark;
}

bool Delta::advance(Time start, Time time, double value, Change& change) {
  const double before = value_;
  const Mark mark = move(start, time, value < before);
  value_ = value;
  change = {mark.since, mark.from_zero ? value : value - before};
  return std::exchange(marked_, true);
}

bool Delta::advance(Time start, Time time, const Histogram& histogram, Time& since,
                    Histogram& change) {
  const bool fallen = !std::ranges::equal(histogram_.bounds, histogram.bounds) ||
                      !std::ranges::equal(histogram_.counts, histogram.counts, std::less_equal{});
  const Mark mark = move(start, time, fallen);
  since = mark.since;
  change = histogram;
  if (!mark.from_zero) {
    change.sum -= histogram_.sum;
    for (size_t i = 0; i < change.counts.size(); ++i) change.counts[i] -= histogram_.counts[i];
  }
  histogram_ = histogram;
  return std::exchange(marked_, true);
}

}  // namespace warpsight::otlp
