// Answers by which a peer refuses points for their times.
#pragma once

#include <cstdint>

#include "net/http_client.h"

namespace warpsight {

enum class Refusal : uint8_t {
  none,
  out_of_bounds,  // older than anything the peer takes, whatever the series: all older ones are too
  out_of_order,   // the series has a newer point, or another of the same time
};

// Told by the status, 400 or 409, and by the words that Prometheus, Thanos, Cortex and Mimir use.
Refusal refusal_of(const HttpReply& reply);

}  // namespace warpsight
