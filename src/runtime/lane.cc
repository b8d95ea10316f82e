#include "runtime/lane.h"

#include <algorithm>
#include <utility>

namespace warpsight {
namespace {

// How long a run may take before the source counts as down.
Duration allowed_for(Duration period) {
  return std::max<Duration>(2 * period, std::chrono::seconds{2});
}

}  // namespace

Lane::Lane(std::string source, Duration period, Registry& registry, const Clock& clock)
    : source_(std::move(source)),
      period_(period),
      registry_(registry),
      clock_(clock),
      writer_(registry.add_source(source_)) {
  status_.source = source_;
  status_.period = period;
}

Lane::~Lane() {
  if (thread_.joinable()) thread_.join();
}

void Lane::start() {
  thread_ = std::thread([this] {
    loop();
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  });
}

void Lane::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  wake();
}

bool Lane::stopped_within(Duration timeout) {
  std::unique_lock lock(mutex_);
  return !thread_.joinable() || changed_.wait_for(lock, timeout, [this] { return ended_; });
}

void Lane::run_now() {
  {
    const std::lock_guard lock(mutex_);
    run_requested_ = true;
    changed_.notify_all();
  }
  wake();
}

LaneStatus Lane::status() const {
  const std::lock_guard lock(mutex_);
  LaneStatus copy = status_;
  if (overdue()) {
    copy.up = false;
    copy.last_error = "the current run has not come back";
  }
  return copy;
}

bool Lane::overdue() const {
  return running_ && clock_.steady() - run_began_ > allowed_for(period_);
}

bool Lane::stopping() const {
  const std::lock_guard lock(mutex_);
  return stop_;
}

bool Lane::wait_until(SteadyTime when) {
  std::unique_lock lock(mutex_);
  const Duration left = when - clock_.steady();
  changed_.wait_for(lock, left, [this] { return stop_ || run_requested_; });
  run_requested_ = false;
  return !stop_;
}

bool Lane::take_run_request() {
  const std::lock_guard lock(mutex_);
  return std::exchange(run_requested_, false);
}

void Lane::run_began() {
  const std::lock_guard lock(mutex_);
  running_ = true;
  run_began_ = clock_.steady();
}

void Lane::run_ended(const Result<>& outcome, std::string_view error_kind) {
  const std::lock_guard lock(mutex_);
  if (running_) status_.duration = clock_.steady() - run_began_;
  running_ = false;
  ++status_.runs;
  status_.up = outcome.has_value();
  status_.last_error = outcome ? std::string{} : describe(outcome.error());
  if (!outcome) ++status_.errors[std::string(error_kind)];
}

void Lane::count_error(std::string_view kind) {
  const std::lock_guard lock(mutex_);
  ++status_.errors[std::string(kind)];
}

void Lane::set_children(const std::vector<int>& pids, uint64_t restarts) {
  const std::lock_guard lock(mutex_);
  status_.probe = true;
  status_.children = pids;
  status_.restarts = restarts;
}

}  // namespace warpsight
