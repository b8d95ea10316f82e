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
  for (;;) {
    abi::EventData data{};
    data.gpu_instance_id = abi::kNoInstance;
    data.compute_instance_id = abi::kNoInstance;
    const abi::Return result = wait.untraced(set_, &data, kWaitMilliseconds);
    std::unique_lock lock(mutex_);
    if (result == abi::Return::success && (data.type & abi::event::kXidCritical) != 0) {
      if (queue_.size() < kMaxQueued) {
        queue_.push_back(
            {data.device, data.data, data.gpu_instance_id, std::chrono::steady_clock::now()});
      } else {
        log_limited(LogLevel::warn, "nvml.events", "too many driver events; one is left out");
      }
    } else if (result != abi::Return::success && result != abi::Return::timeout) {
      wake_.wait_for(lock, kPauseAfterError, [this] { return stopping_; });
    }
    if (stopping_) return;
  }
}

void EventWatch::take(std::vector<Xid>& to) {
  const std::lock_guard lock(mutex_);
  to.insert(to.end(), queue_.begin(), queue_.end());
  queue_.clear();
}

}  // namespace warpsight::nvml
