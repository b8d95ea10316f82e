// A lane runs one source at its period, on a thread of its own, so that nothing one source does
// can delay another.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "core/registry.h"
#include "core/result.h"

namespace warpsight {

struct LaneStatus {
  std::string source;
  bool up = false;      // the last run succeeded and none is overdue
  uint64_t runs = 0;    // completed, well or badly
  Duration duration{};  // of the last completed run
  Duration period{};
  std::string last_error;                  // of the last run; empty when it succeeded
  std::map<std::string, uint64_t> errors;  // by kind
  bool probe = false;                      // vendor code, in children
  uint64_t restarts = 0;                   // of a probe child
  std::vector<int> children;               // process ids of probe children
};

class Lane {
 public:
  Lane(std::string source, Duration period, Registry& registry, const Clock& clock);
  // Waits for the thread: an owner whose lane is stuck must keep it, or end the process.
  virtual ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const std::string& name() const { return source_; }

  void start();
  void request_stop();
  // Whether the thread ended by itself in time. One that did not is stuck in the kernel.
  bool stopped_within(Duration timeout);
  // Ends what only this lane told of. For one that was replaced and has stopped.
  virtual void end_told() {}
  // Runs the source now instead of when it is next due.
  void run_now();

  LaneStatus status() const;
  // Calls fn(const LaneStatus&, bool overdue): a run that takes longer than it may is overdue, and
  // the source not up, while it lasts.
  template <typename Fn>
  void read_status(Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    fn(status_, overdue());
  }

 protected:
  // The thread's body: returns when stopping.
  virtual void loop() = 0;
  // Ends a wait on something else than wait_until().
  virtual void wake() {}

  bool stopping() const;
  // Sleeps until `when`; false when stopping. run_now() ends it early.
  bool wait_until(SteadyTime when);
  bool take_run_request();

  // Bookkeeping of runs, for status().
  void run_began();
  void run_ended(const Result<>& outcome, std::string_view error_kind = "run");
  void count_error(std::string_view kind);
  void set_children(const std::vector<int>& pids, uint64_t restarts);

  Registry& registry() { return registry_; }
  const Clock& clock() const { return clock_; }
  uint16_t writer() const { return writer_; }
  Duration period() const { return period_; }

 private:
  bool overdue() const;

  const std::string source_;
  const Duration period_;
  Registry& registry_;
  const Clock& clock_;
  const uint16_t writer_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  LaneStatus status_;
  SteadyTime run_began_{};
  bool running_ = false;
  bool stop_ = false;
  bool run_requested_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace warpsight
