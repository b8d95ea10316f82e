// google.rpc.Status, the error that OTLP peers answer with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"

namespace warpsight {

struct RpcStatus {
  int code = 0;
  std::string message;
  std::optional<Duration> retry_delay;  // of a google.rpc.RetryInfo among the details
};

// nullopt when the bytes are no such message. A delay is between nothing and a day.
std::optional<RpcStatus> decode_rpc_status(std::string_view bytes);

}  // namespace warpsight
