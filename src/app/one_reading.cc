#include "app/one_reading.h"

#include <cstdlib>
#include <thread>

#include "app/exit_codes.h"

namespace warpsight {
namespace {

constexpr Duration kPatience = std::chrono::seconds{20};
constexpr Duration kPoll = std::chrono::milliseconds{10};
constexpr Duration kStopTimeout = std::chrono::seconds{4};

}  // namespace

Result<bool> run_twice(Pipeline& pipeline, const Clock& clock, Duration gap,
                       const std::function<void()>& between) {
  if (auto started = pipeline.start(); !started) return tl::unexpected(started.error());
  const SteadyTime end = clock.steady() + kPatience;
  const auto wait_for = [&](uint64_t runs) {
    while (!pipeline.has_run(runs) && clock.steady() < end) std::this_thread::sleep_for(kPoll);
  };
  wait_for(1);
  if (between) between();
  std::this_thread::sleep_for(gap);
  pipeline.run_now();
  wait_for(2);
  return pipeline.has_run(2);
}

void stop_or_exit(Pipeline& pipeline) {
  if (!pipeline.stop(kStopTimeout)) std::_Exit(kExitFailure);
}

}  // namespace warpsight
