// Samples brought together in steps of time: for the answer to a query, and for what is kept longer
// than every sample.
#pragma once

#include <cstdint>
#include <vector>

#include "history/query.h"

namespace warpsight {

// What the samples of one step come to.
struct StepSum {
  uint32_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  double first = 0;
  double last = 0;
  double gain = 0;     // of a counter, from the sample before each; resets left out
  double seconds = 0;  // that took

  void add(double value);
  void add(const StepSum& later);
};

// Two samples further apart say nothing of the time between them.
inline constexpr int64_t kLongestGapMs = 15LL * 60 * 1000;

// Times are in milliseconds and rise.
class StepSums {
 public:
  StepSums(int64_t first, int64_t step, size_t steps) : first_(first), step_(step), sums_(steps) {}

  // One before the first step only tells where a counter stood.
  void add(int64_t time, double value);
  // One that is told otherwise, and only says where a counter stood.
  void stand_at(int64_t time, double value) {
    last_time_ = time;
    last_ = value;
  }
  // What was brought together before, of a step that begins at `time`.
  void add(int64_t time, const StepSum& sum);

  const std::vector<StepSum>& sums() const { return sums_; }
  // One value a step; NaN where there is none. A step that only the jitter of the samples' times
  // left empty takes its neighbour's.
  std::vector<double> values(Aggregate aggregate) const;

 private:
  StepSum* at(int64_t time);
  const StepSum* neighbour(size_t step) const;

  int64_t first_;
  int64_t step_;
  std::vector<StepSum> sums_;
  int64_t last_time_ = 0;  // zero: there is none
  double last_ = 0;
  int64_t shortest_ = INT64_MAX / 2;  // distance of two samples
};

}  // namespace warpsight
