// A sink's thread and the short queue before it, so that a slow sink delays nobody.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/registry.h"
#include "runtime/sink.h"

namespace warpsight {

struct SinkLaneStatus {
  std::string sink;
  uint64_t sent = 0;     // points delivered
  uint64_t dropped = 0;  // points that found the queue full
  std::map<std::string, uint64_t> failures;
  std::string last_error;  // empty when the last delivery succeeded
};

class SinkLane {
 public:
  static constexpr size_t kQueue = 4;

  SinkLane(std::string name, std::unique_ptr<Sink> sink);
  // Waits for the thread: an owner whose sink is stuck must keep it, or end the process.
  ~SinkLane();
  SinkLane(const SinkLane&) = delete;
  SinkLane& operator=(const SinkLane&) = delete;

  void start();
  // Encodes the snapshot now and queues it; drops it, counted, when the queue is full.
  void accept(const Snapshot& snapshot);
  // Delivers what is queued, then ends.
  void request_stop();
  bool stopped_within(Duration timeout);

  SinkLaneStatus status() const;
  template <typename Fn>
  void read_status(Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    fn(status_);
  }

 private:
  void loop();

  const std::string name_;
  std::unique_ptr<Sink> sink_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> queue_;
  Outbox outbox_;
  SinkLaneStatus status_;
  bool stop_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace warpsight
