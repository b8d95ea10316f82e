// What a peer's answer says beyond its status.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/sink.h"
#include "sinks/otlp/transport.h"
#include "wire/otlp/response.h"

namespace warpsight::otlp {

// A request that was taken, but for what the answer says; nullopt is an answer that nobody can
// read, which does not make the request any less taken.
Answer taken(const std::optional<PartialSuccess>& response);

// A request that was not taken; `words` are all of the peer's.
Answer not_taken(Delivery delivery, std::string_view words);

}  // namespace warpsight::otlp
