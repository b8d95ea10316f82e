// What was counted since the point before.
#pragma once

#include "core/clock.h"
#include "core/registry.h"

namespace warpsight::otlp {

// Of one series. The first point only sets the mark: what was counted before anybody looked is not
// of this interval. After a reset everything since the new start is told.
class Delta {
 public:
  struct Change {
    Time start;
    double value;
  };

  // False for the first point.
  bool advance(Time start, Time time, double value, Change& change);

  // `change` has the histogram's bounds and the differences; its memory is kept.
  bool advance(Time start, Time time, const Histogram& histogram, Time& since, Histogram& change);

 private:
  // When the change began; whether it is counted from zero.
  struct Mark {
    Time since;
    bool from_zero;
  };
  Mark move(Time start, Time time, bool fallen);

  bool marked_ = false;
  Time start_{};
  Time time_{};
  double value_ = 0;
  Histogram histogram_;
};

}  // namespace warpsight::otlp
