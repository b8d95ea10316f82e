#include "simulate/signal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpsight::simulate {
namespace {

// The integral as a sum of narrow bars, to check the closed forms against.
double summed(const Signal& signal, Seconds from, Seconds to) {
  constexpr int kBars = 200'000;
  const double width = (to - from) / kBars;
  double sum = 0;
  for (int i = 0; i < kBars; ++i) sum += signal.value(from + (i + 0.5) * width) * width;
  return sum;
}

double summed_above(const Signal& signal, double threshold, Seconds from, Seconds to) {
  constexpr int kBars = 200'000;
  const double width = (to - from) / kBars;
  double sum = 0;
  for (int i = 0; i < kBars; ++i)
    sum += signal.value(from + (i + 0.5) * width) > threshold ? width : 0;
  return sum;
}

Signal of(Term term) {
  Signal signal;
  signal.add(std::move(term));
  return signal;
}

Term example_steps(Seconds repeat) {
  return Term::steps({{0, 0.2, 0}, {10, 0.9, 0}, {25, 0.4, 0}}, repeat);
}

TEST(Signal, ConstantIntegratesToALine) {
  const Signal signal(3);
  EXPECT_DOUBLE_EQ(signal.value(17), 3);
  EXPECT_DOUBLE_EQ(signal.integral(10) - signal.integral(-10), 60);
}

TEST(Signal, WaveStaysBetweenItsBounds) {
  const Signal signal = of(Term::wave(0.2, 0.8, 60, 0.25));
  EXPECT_NEAR(signal.value(0), 0.8, 1e-12);
  EXPECT_NEAR(signal.value(30), 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(signal.lowest(), 0.2);
  EXPECT_DOUBLE_EQ(signal.highest(), 0.8);
}

TEST(Signal, IntegralIsThatOfTheValues) {
  for (const Signal& signal : {of(Term::wave(0.1, 0.9, 37, 0.3)), of(example_steps(0)),
                               of(example_steps(40)), of(Term::steps({{5, 2, 0}, {7, 4, 0}}, 0))}) {
    EXPECT_NEAR(signal.integral(93) - signal.integral(-55), summed(signal, -55, 93), 2e-3);
  }
}

TEST(Signal, StepHoldsUntilTheNext) {
  const Signal signal = of(example_steps(0));
  EXPECT_DOUBLE_EQ(signal.value(-5), 0.2);
  EXPECT_DOUBLE_EQ(signal.value(9.999), 0.2);
  EXPECT_DOUBLE_EQ(signal.value(10), 0.9);
  EXPECT_DOUBLE_EQ(signal.value(1000), 0.4);
}

TEST(Signal, RepeatedStepsStartAnew) {
  const Signal signal = of(example_steps(40));
  EXPECT_DOUBLE_EQ(signal.value(40), 0.2);
  EXPECT_DOUBLE_EQ(signal.value(51), 0.9);
  EXPECT_DOUBLE_EQ(signal.value(-1), 0.4);
}

TEST(Signal, TimeAboveAThresholdIsExact) {
  for (const Signal& signal :
       {of(Term::wave(0, 1, 37, 0.3)), of(example_steps(0)), of(example_steps(40)), Signal(0.95)}) {
    for (const double threshold : {-0.1, 0.3, 0.5, 0.85, 1.1}) {
      const double exact = signal.time_above(threshold, 93) - signal.time_above(threshold, -55);
      EXPECT_NEAR(exact, summed_above(signal, threshold, -55, 93), 5e-3) << threshold;
    }
  }
}

TEST(Signal, SumOfSignalsIsTheirSum) {
  Signal sum(0.1);
  sum.add(of(Term::wave(0, 0.4, 20, 0)), 0.5);
  EXPECT_NEAR(sum.value(5), 0.1 + 0.5 * 0.4, 1e-12);
  EXPECT_NEAR(sum.mean(0, 20), 0.1 + 0.5 * 0.2, 1e-12);
}

}  // namespace
}  // namespace warpsight::simulate
