// gRPC's status codes, and what stands for one where a peer gives none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.h"

namespace warpsight {

enum class GrpcStatus : int {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

// "unavailable"; "unknown" for a number that has no meaning.
std::string_view to_string(GrpcStatus status);

// Any number that is no code is `unknown`.
GrpcStatus grpc_status_of(int code);

// Of an HTTP status that came without a gRPC status.
GrpcStatus grpc_status_of_http(int http_status);

// Of the error code of an RST_STREAM.
GrpcStatus grpc_status_of_reset(uint32_t http2_error);

// As the header grpc-timeout has it: "9500m".
std::string format_grpc_timeout(Duration timeout);

}  // namespace warpsight
