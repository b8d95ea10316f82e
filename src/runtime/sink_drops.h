// Why points handed to a sink never reached its peer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsight {

enum class DropReason : uint8_t {
  queue_full,   // nobody took them in time
  undelivered,  // the sink keeps nothing, and failed
  rejected,     // the peer took the message without them
  too_old,      // likewise, for their age
  refused,      // the peer will never take the message
  spool_full,   // the oldest at the spool's size limit
  spool_age,    // older than the spool may keep
  no_disk,      // the spool could not be written and memory holds few
  corrupt,      // damaged on disk
};
inline constexpr size_t kDropReasons = 9;

inline std::string_view to_string(DropReason reason) {
  constexpr std::array<std::string_view, kDropReasons> kNames = {
      "queue_full", "undelivered", "rejected", "too_old", "refused",
      "spool_full", "spool_age",   "no_disk",  "corrupt"};
  return kNames[static_cast<size_t>(reason)];
}

// Points, by reason.
class SinkDrops {
 public:
  uint64_t& operator[](DropReason reason) { return counts_[static_cast<size_t>(reason)]; }
  uint64_t operator[](DropReason reason) const { return counts_[static_cast<size_t>(reason)]; }

  SinkDrops& operator+=(const SinkDrops& other) {
    for (size_t i = 0; i < kDropReasons; ++i) counts_[i] += other.counts_[i];
    return *this;
  }

  uint64_t total() const {
    uint64_t sum = 0;
    for (const uint64_t count : counts_) sum += count;
    return sum;
  }

  // Calls fn(DropReason, count) for each reason, zeros included.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (size_t i = 0; i < kDropReasons; ++i) fn(static_cast<DropReason>(i), counts_[i]);
  }

 private:
  std::array<uint64_t, kDropReasons> counts_{};
};

}  // namespace warpsight
