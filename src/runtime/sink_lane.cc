#include "runtime/sink_lane.h"

#include <utility>

#include "runtime/log.h"

namespace warpsight {

SinkLane::SinkLane(std::string name, std::unique_ptr<Sink> sink)
    : name_(std::move(name)), sink_(std::move(sink)) {
  status_.sink = name_;
}

SinkLane::~SinkLane() {
  if (thread_.joinable()) thread_.join();
}

void SinkLane::start() {
  thread_ = std::thread([this] { loop(); });
}

void SinkLane::accept(const Snapshot& snapshot) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kQueue) {
      status_.dropped += snapshot.samples.size();
      return;
    }
  }
  outbox_.clear();
  sink_->encode(snapshot, outbox_);
  const std::lock_guard lock(mutex_);
  for (Message& message : outbox_.messages()) queue_.push_back(std::move(message));
  changed_.notify_all();
}

void SinkLane::request_stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  changed_.notify_all();
}

bool SinkLane::stopped_within(Duration timeout) {
  std::unique_lock lock(mutex_);
  return !thread_.joinable() || changed_.wait_for(lock, timeout, [this] { return ended_; });
}

SinkLaneStatus SinkLane::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void SinkLane::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) break;
    const Message message = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    const Delivery delivery = sink_->deliver(message);
    lock.lock();
    if (delivery.outcome == Delivery::Outcome::accepted) {
      status_.sent += message.points;
      status_.last_error.clear();
    } else {
      ++status_.failures[delivery.reason];
      status_.last_error = delivery.words;
      log_limited(LogLevel::error, name_, "sink failed",
                  {{"sink", name_}, {"error", status_.last_error}});
    }
  }
  ended_ = true;
  changed_.notify_all();
}

}  // namespace warpsight
