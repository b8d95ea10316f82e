// Which driver call a probe child is in, readable by the parent while the child hangs in it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>

namespace warpsight {

// Lives in memory shared by parent and child. Only the child's lane writes; the parent reads when
// a deadline passed, so a torn read would need the child to move on at that very moment, and the
// sequence tells.
class CallTrace {
 public:
  // Device the following calls are for, by its stable address; empty: for none in particular.
  void set_device(std::string_view device) { copy(device_, device); }

  void enter(std::string_view call) {
    copy(call_, call);
    sequence_.fetch_add(1, std::memory_order_release);
  }
  void leave() { sequence_.fetch_add(1, std::memory_order_release); }

  bool inside_call() const { return (sequence_.load(std::memory_order_acquire) & 1) != 0; }
  std::string call() const { return text(call_); }
  std::string device() const { return text(device_); }

 private:
  static constexpr size_t kSize = 64;

  static void copy(char (&to)[kSize], std::string_view from) {
    const size_t length = std::min(from.size(), kSize - 1);
    if (length > 0) std::memcpy(to, from.data(), length);  // an empty view may be of nothing
    to[length] = '\0';
  }
  static std::string text(const char (&from)[kSize]) { return {from, strnlen(from, kSize)}; }

  std::atomic<uint64_t> sequence_{0};
  char call_[kSize] = {};
  char device_[kSize] = {};
};

}  // namespace warpsight
