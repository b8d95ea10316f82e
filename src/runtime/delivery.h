// What an answer, or its absence, means for the message that was sent.
#pragma once

#include "net/grpc_client.h"
#include "net/http_client.h"
#include "net/transport_failure.h"
#include "runtime/sink.h"

namespace warpsight {

// Which answers a protocol lets its clients try again.
enum class RetryRule : uint8_t {
  otlp,      // 429, 502, 503, 504
  generous,  // 408, 429 and every 5xx
};

Delivery delivery_of(const TransportFailure& failure);
// Of any status: 2xx is accepted; 401, 403 and 407 are unauthorized. Honours Retry-After, in
// seconds or as a date. `words` quotes the body's beginning, made printable.
Delivery delivery_of(const HttpReply& reply, RetryRule rule, Time now);
// As OTLP's specification orders: which codes may be tried again, and RetryInfo in the details.
Delivery delivery_of(const GrpcReply& reply);

}  // namespace warpsight
