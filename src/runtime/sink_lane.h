// A sink's threads, so that a slow sink delays nobody. A spooled sink has two: the keeper takes
// what was encoded and either hands it to the idle sender or appends it to the spool; the sender
// delivers what it was handed, or the oldest of the spool. What is not spooled goes from the short
// queue to the sender, and is lost when it fails.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "core/registry.h"
#include "runtime/retry_delay.h"
#include "runtime/sink.h"
#include "runtime/sink_account.h"
#include "runtime/spool.h"

namespace warpsight {

struct SinkLaneSettings {
  std::string name;
  SpoolSettings spool = {};  // without a directory: what fails is lost
  bool says_all = false;     // see SinkDef
  Duration retry_first = std::chrono::seconds{1};
  Duration retry_longest = std::chrono::minutes{1};
  // After request_stop(): for what is under way, and then for it to heed its interruption.
  Duration stop_grace = std::chrono::seconds{1};
};

// Of one sink as configured; `name` tells it from others of its kind.
SinkLaneSettings sink_lane_settings(const SinkDef& def, std::string_view name,
                                    const Options& options, std::string_view state_dir);

class SinkLane {
 public:
  // Messages that may wait when another snapshot is taken.
  static constexpr size_t kQueue = 4;

  SinkLane(SinkLaneSettings settings, std::unique_ptr<Sink> sink, Registry& registry,
           const Clock& clock);
  // Stops and waits for the threads: an owner whose sink is stuck must keep it, or end the
  // process.
  ~SinkLane();
  SinkLane(const SinkLane&) = delete;
  SinkLane& operator=(const SinkLane&) = delete;

  const std::string& name() const { return settings_.name; }

  void start();
  // Encodes the snapshot now and queues it; drops it, counted, when the queue is full. Waits for
  // neither disk nor peer.
  void accept(const Snapshot& snapshot);
  // Ends soon: a healthy sink delivers what it can within the grace, the spool takes the rest.
  void request_stop();
  bool stopped_within(Duration timeout);

  SinkLaneStatus status() const;
  // Calls fn(const SinkLaneStatus&).
  template <typename Fn>
  void read_status(Fn&& fn) const {
    account_.read(spool_.get(), std::forward<Fn>(fn));
  }

 private:
  enum class Attempt : uint8_t { done, failed };

  // Bodies of the threads.
  void keep();
  void send();
  void send_unspooled();

  // Of the keeper.
  void keep_one(std::unique_lock<std::mutex>& lock);
  void wind_up(std::unique_lock<std::mutex>& lock);
  void tell_notices();

  // Of the sender. They leave the lock as they found it: held.
  bool wait_for_work(std::unique_lock<std::mutex>& lock);
  void send_handed(std::unique_lock<std::mutex>& lock);
  void send_oldest(std::unique_lock<std::mutex>& lock);
  Attempt attempt(const SpoolEntry& entry, uint64_t waiting);

  Delivery deliver(const Message& message, Duration& took);
  void recycle(Message&& message);

  const SinkLaneSettings settings_;
  const Clock& clock_;
  std::unique_ptr<Sink> sink_;
  SinkAccount account_;
  std::unique_ptr<Spool> spool_;  // null: not spooled

  // Of the sender's thread alone.
  RetryDelay retry_;
  SpoolEntry oldest_;
  SteadyTime not_before_{};  // the next attempt

  // Of the thread that calls accept().
  Outbox outbox_;

  mutable std::mutex mutex_;  // never held while the disk, the peer or the registry is called
  std::condition_variable changed_;
  std::deque<SpoolEntry> queue_;  // without their numbers
  std::vector<std::string> spares_;
  std::unique_ptr<SpoolEntry> handed_;  // to the sender
  bool rescued_ = false;                // handed_ is in the spool as well
  bool sending_ = false;
  SteadyTime next_attempt_{};
  bool opened_ = false;  // the spool
  bool stop_ = false;
  bool queue_done_ = false;            // stopping, and nothing more will be handed over
  std::atomic<bool> give_up_ = false;  // stopping, and the grace is over; read without the lock
  SteadyTime grace_ends_{};
  int running_ = 0;
  std::thread keeper_;
  std::thread sender_;
};

}  // namespace warpsight
