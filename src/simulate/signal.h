// A value over scenario time whose integral has a closed form, so that a counter is exactly the
// integral of the rate reported beside it and any moment can be asked for without state.
#pragma once

#include <vector>

namespace warpsight::simulate {

// Scenario time: seconds since the scenario began; the driver was up before 0.
using Seconds = double;

// One summand of a signal.
class Term {
 public:
  struct Step {
    Seconds at;
    double value;
    double integral;  // of the steps before `at`, from 0
  };

  static Term constant(double value);
  // min..max as a sine; `phase` is the part of a period by which it is ahead.
  static Term wave(double min, double max, Seconds period, double phase);
  // Each value holds from its time to the next one's; before the first the first value holds.
  // With a repeat above 0 the timeline starts anew every so many seconds. Steps are ascending,
  // and for a repeating timeline begin at 0 and end before `repeat`.
  static Term steps(std::vector<Step> steps, Seconds repeat);

  double value(Seconds t) const;
  // From 0 to t; negative t gives the negated integral.
  double integral(Seconds t) const;
  // Seconds in 0..t during which the value is above the threshold.
  double time_above(double threshold, Seconds t) const;
  bool varies() const { return kind_ != Kind::constant; }
  double lowest() const;
  double highest() const;
  void scale(double factor);

 private:
  enum class Kind { constant, wave, steps };
  double steps_integral(Seconds t) const;
  double steps_time_above(double threshold, Seconds t) const;
  const Step& step_at(Seconds t) const;

  Kind kind_ = Kind::constant;
  double middle_ = 0;  // constant value, or the wave's middle
  double amplitude_ = 0;
  Seconds period_ = 0;  // of the wave, or the repeat of steps (0: none)
  double phase_ = 0;
  std::vector<Step> steps_;
};

// A sum of terms.
class Signal {
 public:
  Signal() = default;
  explicit Signal(double value) { add(Term::constant(value)); }

  void add(Term term) { terms_.push_back(std::move(term)); }
  // Adds `factor` times the other signal.
  void add(const Signal& other, double factor);

  double value(Seconds t) const;
  double integral(Seconds t) const;
  // Mean over from..to; the value at `to` where the two are one.
  double mean(Seconds from, Seconds to) const;
  // Exact where at most one term varies, else 0: sums have no closed form.
  double time_above(double threshold, Seconds t) const;
  // Whether time_above() is growing at t, under the same rule.
  bool above(double threshold, Seconds t) const;
  // Bounds; of a sum they may not be reached.
  double lowest() const;
  double highest() const;

 private:
  const Term* varying_term() const;
  bool single() const;
  double constant_part() const;

  std::vector<Term> terms_;
};

}  // namespace warpsight::simulate
