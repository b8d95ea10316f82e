#include "history/fold.h"

#include <algorithm>
#include <limits>

namespace warpsight {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMsPerSecond = 1000;

double value_of(const StepSum& sum, Aggregate aggregate) {
  if (sum.count == 0) return kNothing;
  switch (aggregate) {
    case Aggregate::mean: return sum.sum / sum.count;
    case Aggregate::min: return sum.min;
    case Aggregate::max: return sum.max;
    case Aggregate::last: return sum.last;
    case Aggregate::rate: return sum.seconds > 0 ? sum.gain / sum.seconds : kNothing;
  }
  return kNothing;
}

}  // namespace

void StepSum::add(double value) {
  min = count == 0 ? value : std::min(min, value);
  max = count == 0 ? value : std::max(max, value);
  if (count == 0) first = value;
  last = value;
  sum += value;
  ++count;
}

void StepSum::add(const StepSum& later) {
  if (later.count == 0) return;
  min = count == 0 ? later.min : std::min(min, later.min);
  max = count == 0 ? later.max : std::max(max, later.max);
  if (count == 0) first = later.first;
  last = later.last;
  sum += later.sum;
  count += later.count;
  gain += later.gain;
  seconds += later.seconds;
}

StepSum* StepSums::at(int64_t time) {
  if (time < first_) return nullptr;
  const auto index = static_cast<size_t>((time - first_) / step_);
  return index < sums_.size() ? &sums_[index] : nullptr;
}

void StepSums::add(int64_t time, double value) {
  if (StepSum* const sum = at(time)) {
    sum->add(value);
    const int64_t distance = time - last_time_;
    if (last_time_ != 0 && distance <= kLongestGapMs && value >= last_) {
      sum->gain += value - last_;
      sum->seconds += static_cast<double>(distance) / kMsPerSecond;
    }
    if (last_time_ != 0) shortest_ = std::min(shortest_, distance);
  }
  stand_at(time, value);
}

void StepSums::add(int64_t time, const StepSum& sum) {
  if (StepSum* const own = at(time)) own->add(sum);
}

const StepSum* StepSums::neighbour(size_t step) const {
  if (step_ >= shortest_ + shortest_ / 2) return nullptr;
  if (step > 0 && sums_[step - 1].count == 2) return &sums_[step - 1];
  if (step + 1 < sums_.size() && sums_[step + 1].count == 2) return &sums_[step + 1];
  return nullptr;
}

std::vector<double> StepSums::values(Aggregate aggregate) const {
  std::vector<double> values;
  values.reserve(sums_.size());
  for (size_t i = 0; i < sums_.size(); ++i) {
    const StepSum* const borrowed = sums_[i].count == 0 ? neighbour(i) : nullptr;
    if (borrowed == nullptr || aggregate == Aggregate::rate) {
      values.push_back(value_of(borrowed == nullptr ? sums_[i] : *borrowed, aggregate));
    } else {
      values.push_back(borrowed < &sums_[i] ? borrowed->last : borrowed->first);
    }
  }
  return values;
}

}  // namespace warpsight
