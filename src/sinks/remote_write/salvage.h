// A peer that refuses a request for some points' times may still take the others.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/sink.h"
#include "sinks/remote_write/refusal.h"
#include "wire/remote_write/request.h"

namespace warpsight {

struct Answer {
  Delivery delivery;
  Refusal refusal = Refusal::none;
};

// Sends a refused request in parts, until the points that the peer will not take are alone. Parts
// that were taken are not sent again.
class Salvage {
 public:
  static constexpr int kMostRequests = 256;
  using Send = std::function<Answer(std::span<const uint32_t> series)>;

  Salvage(const RemoteWriteRequest& request, Send send);

  // `refused` is the answer to the whole request. What is left after kMostRequests counts as too
  // old. When the peer fails meanwhile, that is what becomes of the message.
  Delivery run(const Answer& refused);

 private:
  using Part = std::span<const uint32_t>;

  Refusal send(Part part);
  bool may_go_on() const { return !failure_ && requests_ < kMostRequests; }
  void lose(Part part) { too_old_ += request_.points(part); }
  void split(Part part);
  void cut_by_series();
  void cut_by_time();
  size_t first_of_time(size_t at) const;
  size_t after_time(size_t at) const;

  const RemoteWriteRequest& request_;
  Send send_;
  std::vector<uint32_t> order_;
  std::deque<Part> parts_;  // each known to be part of what was refused, larger ones first
  int requests_ = 0;
  uint64_t too_old_ = 0;
  uint64_t rejected_ = 0;
  std::optional<Delivery> failure_;
};

}  // namespace warpsight
