// Events as an OTLP logs request.
#pragma once

#include <span>
#include <string>

#include "core/batch.h"
#include "core/entity.h"
#include "wire/otlp/envelope.h"

namespace warpsight::otlp {

// Appends one request with all the events, in their order; there must be at least one. `observed`
// is when the agent told of them.
void append_logs_request(std::string& out, const Envelope& envelope, const EntityTable& entities,
                         std::span<const Event> events, Time observed);

}  // namespace warpsight::otlp
