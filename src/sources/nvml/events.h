// XIDs as they happen: a thread waits on the driver's event set, so that the lane need not.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "sources/nvml/library.h"

namespace warpsight::nvml {

class EventWatch {
 public:
  struct Xid {
    abi::Device device;
    unsigned long long code;
    unsigned gpu_instance;  // abi::kNoInstance: of the GPU as a whole
    std::chrono::steady_clock::time_point seen;
  };

  explicit EventWatch(const Library& library) : lib_(library) {}
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;
  ~EventWatch() { stop(); }

  // Watches exactly these from now on; what fired before is kept. Nothing happens when they are
  // watched already. On the lane: makes calls.
  void watch(std::span<const abi::Device> devices);
  // Within one wait of the thread, half a second at most.
  void stop();

  // Moves what fired since the last time to the end of `to`.
  void take(std::vector<Xid>& to);

 private:
  static constexpr size_t kMaxQueued = 256;

  void run();
  void keep(const abi::EventData& data);  // under the mutex
  bool register_all(std::span<const abi::Device> devices);

  const Library& lib_;
  std::vector<abi::Device> watched_;
  abi::EventSet set_ = nullptr;
  std::thread thread_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::vector<Xid> queue_;
};

}  // namespace warpsight::nvml
