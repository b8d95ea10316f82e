// Time as the agent sees it. A parameter everywhere, so that tests own it.
#pragma once

#include <chrono>

namespace warpsight {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::sys_time<Duration>;                                     // wall clock
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;  // never steps

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  virtual SteadyTime steady() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
  SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
};

// Stands still until told to move.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start = Time{std::chrono::seconds{1'700'000'000}}) : now_(start) {}
  Time now() const override { return now_; }
  SteadyTime steady() const override { return SteadyTime{now_.time_since_epoch()}; }
  void advance(Duration by) { now_ += by; }

 private:
  Time now_;
};

inline double to_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
inline double to_unix_seconds(Time t) { return to_seconds(t.time_since_epoch()); }

}  // namespace warpsight
