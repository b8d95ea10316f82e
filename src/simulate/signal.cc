#include "simulate/signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace warpsight::simulate {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

// Radians in 0..angle where sin is above `level`, for angle >= 0.
double angle_above(double level, double angle) {
  if (level >= 1) return 0;
  if (level < -1) return angle;
  const double rise = std::asin(level);
  const double fall = std::numbers::pi - rise;
  const double periods = std::floor(angle / kTwoPi);
  const double rest = angle - periods * kTwoPi;
  // Within a period sin is above the level from `rise` to `fall`; a negative rise belongs to the
  // end of the period before.
  const double part = rise >= 0 ? std::clamp(rest - rise, 0.0, fall - rise)
                                : std::min(rest, fall) + std::max(0.0, rest - (kTwoPi + rise));
  return periods * (fall - rise) + part;
}

}  // namespace

Term Term::constant(double value) {
  Term term;
  term.middle_ = value;
  return term;
}

Term Term::wave(double min, double max, Seconds period, double phase) {
  Term term;
  term.kind_ = Kind::wave;
  term.middle_ = (min + max) / 2;
  term.amplitude_ = (max - min) / 2;
  term.period_ = period;
  term.phase_ = phase;
  return term;
}

Term Term::steps(std::vector<Step> steps, Seconds repeat) {
  Term term;
  term.kind_ = Kind::steps;
  term.period_ = repeat;
  term.steps_ = std::move(steps);
  // Before its time the first value holds, so its integral from 0 is the whole stretch's.
  double sum = term.steps_.front().value * term.steps_.front().at;
  for (std::size_t i = 0; i < term.steps_.size(); ++i) {
    if (i > 0) sum += term.steps_[i - 1].value * (term.steps_[i].at - term.steps_[i - 1].at);
    term.steps_[i].integral = sum;
  }
  return term;
}

const Term::Step& Term::step_at(Seconds t) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), t,
                                      [](Seconds at, const Step& step) { return at < step.at; });
  return after == steps_.begin() ? steps_.front() : *std::prev(after);
}

double Term::value(Seconds t) const {
  switch (kind_) {
    case Kind::constant: return middle_;
    case Kind::wave: return middle_ + amplitude_ * std::sin(kTwoPi * (t / period_ + phase_));
    case Kind::steps: break;
  }
  if (period_ > 0) t -= std::floor(t / period_) * period_;
  return step_at(t).value;
}

double Term::steps_integral(Seconds t) const {
  const Step& step = step_at(t);
  return step.integral + step.value * (t - step.at);
}

double Term::integral(Seconds t) const {
  switch (kind_) {
    case Kind::constant: return middle_ * t;
    case Kind::wave: {
      const double turn = std::cos(kTwoPi * phase_) - std::cos(kTwoPi * (t / period_ + phase_));
      return middle_ * t + amplitude_ * period_ / kTwoPi * turn;
    }
    case Kind::steps: break;
  }
  if (period_ <= 0) return steps_integral(t);
  const double rounds = std::floor(t / period_);
  return rounds * steps_integral(period_) + steps_integral(t - rounds * period_);
}

double Term::steps_time_above(double threshold, Seconds t) const {
  double sum = steps_.front().value > threshold ? std::min(t, steps_.front().at) : 0;
  for (std::size_t i = 0; i < steps_.size() && steps_[i].at < t; ++i) {
    if (steps_[i].value <= threshold) continue;
    const Seconds end = i + 1 < steps_.size() ? std::min(t, steps_[i + 1].at) : t;
    sum += end - std::max(steps_[i].at, 0.0);
  }
  return sum;
}

double Term::time_above(double threshold, Seconds t) const {
  if (kind_ == Kind::constant) return middle_ > threshold ? t : 0;
  if (kind_ == Kind::wave) {
    if (amplitude_ == 0) return middle_ > threshold ? t : 0;
    const double level = (threshold - middle_) / amplitude_;
    // Counted from a whole number of periods before, so that no angle is negative.
    const double start = phase_ - std::floor(phase_) + std::ceil(std::max(0.0, -t / period_)) + 1;
    const double before = angle_above(level, kTwoPi * start);
    const double after = angle_above(level, kTwoPi * (start + t / period_));
    return (after - before) / kTwoPi * period_;
  }
  if (period_ <= 0) return steps_time_above(threshold, t);
  const double rounds = std::floor(t / period_);
  return rounds * steps_time_above(threshold, period_) +
         steps_time_above(threshold, t - rounds * period_);
}

double Term::lowest() const {
  if (kind_ != Kind::steps) return middle_ - std::abs(amplitude_);
  return std::min_element(steps_.begin(), steps_.end(),
                          [](const Step& a, const Step& b) { return a.value < b.value; })
      ->value;
}

double Term::highest() const {
  if (kind_ != Kind::steps) return middle_ + std::abs(amplitude_);
  return std::max_element(steps_.begin(), steps_.end(),
                          [](const Step& a, const Step& b) { return a.value < b.value; })
      ->value;
}

void Term::scale(double factor) {
  middle_ *= factor;
  amplitude_ *= factor;
  for (Step& step : steps_) {
    step.value *= factor;
    step.integral *= factor;
  }
}

void Signal::add(const Signal& other, double factor) {
  for (Term term : other.terms_) {
    term.scale(factor);
    terms_.push_back(std::move(term));
  }
}

double Signal::value(Seconds t) const {
  double sum = 0;
  for (const Term& term : terms_) sum += term.value(t);
  return sum;
}

double Signal::integral(Seconds t) const {
  double sum = 0;
  for (const Term& term : terms_) sum += term.integral(t);
  return sum;
}

double Signal::mean(Seconds from, Seconds to) const {
  if (to <= from) return value(to);
  return (integral(to) - integral(from)) / (to - from);
}

bool Signal::single() const {
  return std::count_if(terms_.begin(), terms_.end(), [](const Term& t) { return t.varies(); }) <= 1;
}

const Term* Signal::varying_term() const {
  const auto term =
      std::find_if(terms_.begin(), terms_.end(), [](const Term& t) { return t.varies(); });
  return term == terms_.end() ? nullptr : &*term;
}

double Signal::constant_part() const {
  double sum = 0;
  for (const Term& term : terms_) {
    if (!term.varies()) sum += term.value(0);
  }
  return sum;
}

double Signal::time_above(double threshold, Seconds t) const {
  if (!single()) return 0;
  const double base = constant_part();
  const Term* term = varying_term();
  if (term == nullptr) return base > threshold ? t : 0;
  return term->time_above(threshold - base, t);
}

bool Signal::above(double threshold, Seconds t) const { return single() && value(t) > threshold; }

double Signal::lowest() const {
  double sum = 0;
  for (const Term& term : terms_) sum += term.lowest();
  return sum;
}

double Signal::highest() const {
  double sum = 0;
  for (const Term& term : terms_) sum += term.highest();
  return sum;
}

}  // namespace warpsight::simulate
