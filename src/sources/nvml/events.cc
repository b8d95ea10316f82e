#include "sources/nvml/events.h"

#include <algorithm>

#include "runtime/log.h"

namespace warpsight::nvml {
namespace {

constexpr unsigned kWaitMilliseconds = 250;
// After an error other than "nothing happened", so that a broken set does not spin.
constexpr auto kPauseAfterError = std::chrono::milliseconds{500};

}  // namespace

void EventWatch::watch(std::span<const abi::Device> devices) {
  if (std::ranges::equal(devices, watched_)) return;
  stop();
  watched_.assign(devices.begin(), devices.end());
  if (watched_.empty() || !register_all(devices)) return;
  stopping_ = false;
  thread_ = std::thread([this] { run(); });
}

bool EventWatch::register_all(std::span<const abi::Device> devices) {
  if (lib_.nvmlEventSetCreate(&set_) != abi::Return::success) {
    set_ = nullptr;
    return false;
  }
  bool any = false;
  for (abi::Device device : devices) {
    unsigned long long types = 0;
    if (lib_.nvmlDeviceGetSupportedEventTypes(device, &types) != abi::Return::success) continue;
    types &= abi::event::kXidCritical;
    any |= types != 0 && lib_.nvmlDeviceRegisterEvents(device, types, set_) == abi::Return::success;
  }
  if (any) return true;
  lib_.nvmlEventSetFree(set_);
  set_ = nullptr;
  return false;
}

void EventWatch::stop() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  if (set_ != nullptr) lib_.nvmlEventSetFree(set_);
  set_ = nullptr;
  watched_.clear();
}

void EventWatch::run() {
  const auto& wait =
      lib_.nvmlEventSetWait_v2.exists() ? lib_.nvmlEventSetWait_v2 : lib_.nvmlEventSetWait;
  // Once told to stop, what has happened by then is still taken, up to a queue's worth.
  for (size_t after_stop = 0; after_stop < kMaxQueued;) {
    abi::EventData data{};
    data.gpu_instance_id = abi::kNoInstance;
    const abi::Return result = wait.untraced(set_, &data, after_stop == 0 ? kWaitMilliseconds : 0);
    std::unique_lock lock(mutex_);
    if (result == abi::Return::success) {
      keep(data);
    } else if (result != abi::Return::timeout) {
      wake_.wait_for(lock, kPauseAfterError, [this] { return stopping_; });
    }
    if (!stopping_) continue;
    if (result != abi::Return::success) return;
    ++after_stop;
  }
}

void EventWatch::keep(const abi::EventData& data) {
  if ((data.type & abi::event::kXidCritical) == 0) return;
  if (queue_.size() >= kMaxQueued) {
    log_limited(LogLevel::warn, "nvml.events", "too many driver events; one is left out");
    return;
  }
  queue_.push_back(
      {data.device, data.data, data.gpu_instance_id, std::chrono::steady_clock::now()});
}

void EventWatch::take(std::vector<Xid>& to) {
  const std::lock_guard lock(mutex_);
  to.insert(to.end(), queue_.begin(), queue_.end());
  queue_.clear();
}

}  // namespace warpsight::nvml
