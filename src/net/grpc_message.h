// One gRPC message in its frame: a byte for "compressed", four for the length, the message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/transport_failure.h"

namespace warpsight {

// Replaces `out`, whose memory is kept.
void frame_grpc_message(std::string_view message, bool compressed, std::string& out);

// The message in the body of an answer; empty where the body is. `encoding` is the answer's
// grpc-encoding.
TransportResult<std::string> unframe_grpc_message(std::string_view body, std::string_view encoding,
                                                  size_t limit);

}  // namespace warpsight
