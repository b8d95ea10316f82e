#include "simulate/nvml/clock.h"

#include <cmath>
#include <ctime>

namespace warpsight::simulate {
namespace {

double read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

void Clock::configure(const ClockSettings& settings, const double* start) {
  const double unix_now = read_clock(CLOCK_REALTIME);
  const double unix_start = start == nullptr ? unix_now : *start;
  monotonic_start_ = read_clock(CLOCK_MONOTONIC) - (unix_now - unix_start);
  epoch_us_ = std::llround(settings.epoch.value_or(unix_start) * 1e6);
  speed_ = settings.speed;
  if (settings.frozen_at) set_manual(*settings.frozen_at);
}

Seconds Clock::now() const {
  if (mode_.load(std::memory_order_relaxed) == Mode::manual) {
    return manual_.load(std::memory_order_relaxed);
  }
  return (read_clock(CLOCK_MONOTONIC) - monotonic_start_) * speed_;
}

std::uint64_t Clock::stamp(Seconds t) const {
  return static_cast<std::uint64_t>(epoch_us_ + std::llround(t * 1e6));
}

Seconds Clock::time_of(std::uint64_t stamp) const {
  return (static_cast<double>(stamp) - static_cast<double>(epoch_us_)) * 1e-6;
}

void Clock::set_manual(Seconds t) {
  manual_.store(t, std::memory_order_relaxed);
  mode_.store(Mode::manual, std::memory_order_relaxed);
}

void Clock::advance(Seconds seconds) {
  manual_.store(manual_.load(std::memory_order_relaxed) + seconds, std::memory_order_relaxed);
}

}  // namespace warpsight::simulate
