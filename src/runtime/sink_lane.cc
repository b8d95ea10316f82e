#include "runtime/sink_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "runtime/set_aside.h"

namespace warpsight {
namespace {

using Outcome = Delivery::Outcome;
using Steady = std::chrono::steady_clock;

constexpr Duration kUpkeepInterval = std::chrono::seconds{10};
constexpr Duration kLongestWait = std::chrono::hours{1};
constexpr size_t kSpares = 2;

std::unique_ptr<Spool> make_spool(const SpoolSettings& settings, const Clock& clock) {
  if (settings.directory.empty()) return nullptr;
  return std::make_unique<Spool>(settings, clock);
}

}  // namespace

SinkLaneSettings sink_lane_settings(const SinkDef& def, std::string_view name,
                                    const Options& options, std::string_view state_dir) {
  SinkLaneSettings settings{.name = std::string(name), .says_all = def.says_all};
  if (!def.spooled) return settings;
  std::string folder(name);
  std::ranges::replace(folder, '/', '~');
  settings.spool = {.directory = fmt::format("{}/spool/{}", state_dir, folder),
                    .size = options.size("spool.size"),
                    .age = options.duration("spool.age"),
                    .sync = sync_policy(options.text("spool.fsync")),
                    .sync_interval = options.duration("spool.fsync_interval"),
                    .compression = Compression::zstd};
  settings.retry_first = options.duration("retry.first");
  settings.retry_longest = options.duration("retry.longest");
  return settings;
}

SinkLane::SinkLane(SinkLaneSettings settings, std::unique_ptr<Sink> sink, Registry& registry,
                   const Clock& clock)
    : settings_(std::move(settings)),
      clock_(clock),
      sink_(std::move(sink)),
      account_(settings_.name, sink_->peer(), registry, clock),
      spool_(make_spool(settings_.spool, clock)),
      retry_(settings_.retry_first, settings_.retry_longest, std::random_device{}()) {}

SinkLane::~SinkLane() {
  request_stop();
  if (sender_.joinable()) sender_.join();
  if (keeper_.joinable()) keeper_.join();
}

void SinkLane::start() {
  const auto run = [this](void (SinkLane::*body)()) {
    ++running_;
    return std::thread([this, body] {
      (this->*body)();
      const std::lock_guard lock(mutex_);
      --running_;
      changed_.notify_all();
    });
  };
  const std::lock_guard lock(mutex_);
  sender_ = run(spool_ ? &SinkLane::send : &SinkLane::send_unspooled);
  if (spool_) keeper_ = run(&SinkLane::keep);
}

void SinkLane::accept(const Snapshot& snapshot) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kQueue && !settings_.says_all) {
      account_.drop(DropReason::queue_full, snapshot.samples.size());
      return;
    }
  }
  outbox_.clear();
  sink_->encode(snapshot, outbox_);
  const std::lock_guard lock(mutex_);
  if (settings_.says_all && !outbox_.messages().empty()) queue_.clear();
  for (Message& message : outbox_.messages()) {
    SpoolEntry& entry = queue_.emplace_back();
    entry.time = snapshot.time;
    if (!spares_.empty()) {
      entry.message.bytes = std::move(spares_.back());
      spares_.pop_back();
    }
    std::swap(entry.message, message);
  }
  changed_.notify_all();
}

void SinkLane::recycle(Message&& message) {
  if (spares_.size() < kSpares) spares_.push_back(std::move(message.bytes));
}

void SinkLane::request_stop() {
  const std::lock_guard lock(mutex_);
  if (!stop_) grace_ends_ = Steady::now() + settings_.stop_grace;
  stop_ = true;
  changed_.notify_all();
}

bool SinkLane::stopped_within(Duration timeout) {
  std::unique_lock lock(mutex_);
  // Half of what is left is for what is under way, half for what must be put on disk.
  grace_ends_ = std::min<SteadyTime>(grace_ends_, Steady::now() + timeout / 2);
  changed_.notify_all();
  return changed_.wait_for(lock, timeout, [this] { return running_ == 0; });
}

SinkLaneStatus SinkLane::status() const {
  SinkLaneStatus copy;
  read_status([&](const SinkLaneStatus& status) { copy = status; });
  return copy;
}

Delivery SinkLane::deliver(const Message& message, Duration& took) {
  const SteadyTime began = clock_.steady();
  Delivery delivery = sink_->deliver(message);
  not_before_ = clock_.steady();
  took = not_before_ - began;
  return delivery;
}

void SinkLane::send_unspooled() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    SpoolEntry entry = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    Duration took{};
    const Delivery delivery = deliver(entry.message, took);
    account_.record(entry.message, delivery, took, 0);
    const bool failed =
        delivery.outcome == Outcome::retry || delivery.outcome == Outcome::unauthorized;
    if (failed && !settings_.says_all) {
      account_.drop(DropReason::undelivered, entry.message.points);
    }
    lock.lock();
    recycle(std::move(entry.message));
  }
}

void SinkLane::tell_notices() {
  for (const SpoolNotice& notice : spool_->take_notices()) account_.tell(notice);
}

void SinkLane::keep() {
  spool_->open();
  tell_notices();
  std::unique_lock lock(mutex_);
  opened_ = true;
  changed_.notify_all();
  for (;;) {
    const bool work =
        changed_.wait_for(lock, kUpkeepInterval, [this] { return stop_ || !queue_.empty(); });
    if (!queue_.empty()) {
      keep_one(lock);
    } else if (stop_) {
      return wind_up(lock);
    } else if (!work) {
      lock.unlock();
      spool_->upkeep();
      tell_notices();
      lock.lock();
      changed_.notify_all();
    }
  }
}

void SinkLane::keep_one(std::unique_lock<std::mutex>& lock) {
  SpoolEntry entry = std::move(queue_.front());
  queue_.pop_front();
  lock.unlock();
  entry.sequence = spool_->next_sequence();
  lock.lock();
  const bool idle = !handed_ && !sending_ && clock_.steady() >= next_attempt_;
  if (idle && spool_->state().empty) {
    handed_ = std::make_unique<SpoolEntry>(std::move(entry));
    rescued_ = false;
  } else {
    lock.unlock();
    spool_->put(std::move(entry));
    tell_notices();
    lock.lock();
  }
  changed_.notify_all();
}

void SinkLane::wind_up(std::unique_lock<std::mutex>& lock) {
  queue_done_ = true;
  changed_.notify_all();
  const auto sender_ended = [this] { return running_ == 1; };
  while (!sender_ended() && Steady::now() < grace_ends_) changed_.wait_until(lock, grace_ends_);
  if (!sender_ended()) {
    give_up_ = true;
    changed_.notify_all();
    lock.unlock();
    sink_->interrupt();
    lock.lock();
    changed_.wait_for(lock, settings_.stop_grace, sender_ended);
  }
  if (handed_) {
    rescued_ = true;
    SpoolEntry copy = *handed_;
    lock.unlock();
    spool_->put(std::move(copy));
    tell_notices();
    lock.lock();
  }
}

bool SinkLane::wait_for_work(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const bool waiting = opened_ && !spool_->state().empty;
    const Duration left = next_attempt_ - clock_.steady();
    if (give_up_) return false;
    if (handed_ || (waiting && left <= Duration::zero())) return true;
    if (queue_done_) return false;
    if (waiting) {
      changed_.wait_for(lock, std::min(left, kLongestWait));
    } else {
      changed_.wait(lock);
    }
  }
}

void SinkLane::send() {
  std::unique_lock lock(mutex_);
  while (wait_for_work(lock)) {
    sending_ = true;
    if (handed_) {
      send_handed(lock);
    } else {
      send_oldest(lock);
    }
    sending_ = false;
    next_attempt_ = not_before_;
    changed_.notify_all();
  }
}

void SinkLane::send_handed(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  const Attempt result = attempt(*handed_, spool_->state().points + handed_->message.points);
  lock.lock();
  SpoolEntry entry = std::move(*std::exchange(handed_, nullptr));
  if (result == Attempt::done) {
    recycle(std::move(entry.message));
  } else if (!rescued_) {
    lock.unlock();
    spool_->put(std::move(entry));
    tell_notices();
    lock.lock();
  }
}

void SinkLane::send_oldest(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  if (spool_->take_oldest(oldest_)) {
    if (attempt(oldest_, spool_->state().points) == Attempt::done) {
      spool_->remove_taken();
    } else {
      spool_->return_taken();
    }
  }
  tell_notices();
  lock.lock();
}

SinkLane::Attempt SinkLane::attempt(const SpoolEntry& entry, uint64_t waiting) {
  Duration took{};
  const Delivery delivery = deliver(entry.message, took);
  // One that was interrupted says nothing about the peer.
  if (give_up_ && delivery.outcome == Outcome::retry) return Attempt::failed;
  account_.record(entry.message, delivery, took, waiting);
  switch (delivery.outcome) {
    case Outcome::refused:
      account_.tell_set_aside(
          set_aside(settings_.spool.directory + "/refused", entry, delivery.words, clock_.now()));
      [[fallthrough]];
    case Outcome::accepted: retry_.succeeded(); return Attempt::done;
    case Outcome::retry:
      not_before_ += retry_.next(delivery.retry_after.value_or(Duration{}));
      break;
    case Outcome::unauthorized: not_before_ += settings_.retry_longest; break;
  }
  return Attempt::failed;
}

}  // namespace warpsight
