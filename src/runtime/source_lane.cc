#include "runtime/source_lane.h"

#include <utility>

#include "runtime/log.h"

namespace warpsight {

SourceLane::SourceLane(std::string name, Duration period, std::unique_ptr<Source> source,
                       Registry& registry, const Clock& clock)
    : Lane(std::move(name), period, registry, clock), source_impl_(std::move(source)) {}

void SourceLane::end_told() {
  source_impl_->retire(batch_);
  registry().apply(writer(), batch_, clock().now());
}

void SourceLane::loop() {
  SteadyTime due = clock().steady();
  while (wait_until(due)) {
    run_began();
    Result<> outcome;
    do {
      auto part = source_impl_->collect(batch_);
      if (outcome) outcome = std::move(part);
      registry().apply(writer(), batch_, clock().now());
    } while (source_impl_->unfinished() && !stopping());
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
