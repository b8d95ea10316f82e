// For a peer that refuses a whole request because some of its samples are too old.
#pragma once

#include <functional>
#include <string_view>

#include "sinks/otlp/transport.h"

namespace warpsight::otlp {

// The most requests that one message may turn into, and how many refusals without a single
// acceptance mean that all of it is too old.
inline constexpr int kSieveRequests = 256;
inline constexpr int kSieveHopeless = 32;

// Sends the metrics request in halves, and halves of those, so that only what the peer will not
// have is lost and counted as too old. `first` is the peer's answer to the whole. Gives up with
// the peer's answer where that is to try again.
Delivery send_sieved(std::string_view request, Answer first,
                     const std::function<Answer(std::string_view)>& send);

}  // namespace warpsight::otlp
