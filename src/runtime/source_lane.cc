#include "runtime/source_lane.h"

#include <utility>

#include "runtime/log.h"

namespace warpsight {

SourceLane::SourceLane(std::string name, Duration period, std::unique_ptr<Source> source,
                       Registry& registry, const Clock& clock)
    : Lane(std::move(name), period, registry, clock), source_impl_(std::move(source)) {}

void SourceLane::loop() {
  SteadyTime due = clock().steady();
  while (wait_until(due)) {
    run_began();
    const Result<> outcome = source_impl_->collect(batch_);
    registry().apply(writer(), batch_, clock().now());
    run_ended(outcome);
    if (!outcome) {
      log_limited(LogLevel::warn, name(), "source failed",
                  {{"source", name()}, {"error", describe(outcome.error())}});
    }
    // A run that overran its period skips the ones it missed instead of catching up.
    const SteadyTime now = clock().steady();
    due += period();
    if (due < now) due = now + period() - (now - due) % period();
  }
}

}  // namespace warpsight
