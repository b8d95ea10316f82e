// Scenario time: the real one, sped up, standing still, or moved by hand.
#pragma once

#include <atomic>
#include <cstdint>

#include "simulate/scenario.h"

namespace warpsight::simulate {

class Clock {
 public:
  // `start` is the unix time at which scenario time was 0; null: now.
  void configure(const ClockSettings& settings, const double* start);

  Seconds now() const;
  // NVML's stamps: unix time in µs.
  std::uint64_t stamp(Seconds t) const;
  // The inverse, for a stamp that the caller hands back.
  Seconds time_of(std::uint64_t stamp) const;

  void set_manual(Seconds t);
  void advance(Seconds seconds);
  // Whether time passes by itself.
  bool runs() const { return mode_.load(std::memory_order_relaxed) == Mode::running; }
  double speed() const { return speed_; }

 private:
  enum class Mode { running, manual };

  std::atomic<Mode> mode_{Mode::running};
  std::atomic<Seconds> manual_{0};
  double monotonic_start_ = 0;
  std::int64_t epoch_us_ = 0;
  double speed_ = 1;
};

}  // namespace warpsight::simulate
