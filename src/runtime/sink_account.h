// What became of a sink's messages: counts for the self-report and the status, and words for
// people, in the log and as events.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/registry.h"
#include "runtime/sink.h"
#include "runtime/sink_drops.h"
#include "runtime/spool.h"

namespace warpsight {

enum class SinkState : uint8_t {
  ok,
  failing,       // the peer does not take messages now
  unauthorized,  // paused until somebody mends the credentials
};
std::string_view to_string(SinkState state);

// How long requests took, since `start`.
struct RequestTimes {
  static constexpr std::array<double, 11> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                     0.5,   1,    2.5,   5,    10};
  std::array<uint64_t, kBounds.size() + 1> counts{};  // of each bucket alone
  double sum = 0;                                     // seconds
  Time start{};

  void add(Duration took);
  bool empty() const;
};

struct SinkLaneStatus {
  std::string sink;
  std::string peer;
  SinkState state = SinkState::ok;
  uint64_t sent = 0;                         // points the peer took
  std::map<std::string, uint64_t> failures;  // requests, by reason
  std::string last_error;                    // empty when the last message was taken
  RequestTimes times;
  SinkDrops dropped;
  bool spooled = false;
  SpoolState spool;  // its drops are in `dropped` already
};

// Thread-safe.
class SinkAccount {
 public:
  SinkAccount(std::string name, std::string peer, Registry& registry, const Clock& clock);

  // A request was made and answered, or not. `waiting`: points kept for the peer, those of the
  // message included.
  void record(const Message& message, const Delivery& delivery, Duration took, uint64_t waiting);
  void drop(DropReason reason, uint64_t points);

  void tell(const SpoolNotice& notice);
  // A refused message was put into a file, or could not be.
  void tell_set_aside(const Result<std::string>& path);

  // Calls fn(const SinkLaneStatus&) under the lock.
  template <typename Fn>
  void read(const Spool* spool, Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    status_.dropped = drops_;
    status_.spooled = spool != nullptr;
    if (spool != nullptr) {
      status_.spool = spool->state();
      status_.dropped += status_.spool.drops;
    }
    fn(std::as_const(status_));
  }

 private:
  void accepted(const Message& message, const Delivery& delivery, uint64_t waiting);
  void refused(const Message& message, const Delivery& delivery);
  void failed(const Delivery& delivery);
  void tell_missing(std::string_view what, uint64_t points, const Delivery& delivery);
  void event(std::string_view name, Severity severity, std::string message,
             std::vector<Attribute> attributes = {});

  const std::string name_;
  Registry& registry_;
  const Clock& clock_;
  const uint16_t writer_;
  const EntityId entity_;

  mutable std::mutex mutex_;  // never held while the registry is called
  mutable SinkLaneStatus status_;
  SinkDrops drops_;
  std::optional<SteadyTime> refusal_told_;  // since the last message that was taken
};

}  // namespace warpsight
