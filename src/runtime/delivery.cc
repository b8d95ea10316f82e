#include "runtime/delivery.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/foreign_text.h"
#include "net/grpc_status.h"
#include "net/http_header.h"
#include "net/rpc_status.h"

namespace warpsight {
namespace {

using Outcome = Delivery::Outcome;

constexpr size_t kQuoted = 300;  // characters of a peer's words

bool may_retry(int status, RetryRule rule) {
  const bool server_error = status >= 500 && status < 600;
  switch (rule) {
    case RetryRule::otlp: return status == 429 || (status >= 502 && status <= 504);
    case RetryRule::generous: return status == 408 || status == 429 || server_error;
  }
  return false;
}

bool may_retry(GrpcStatus status, bool retry_info) {
  switch (status) {
    case GrpcStatus::cancelled:
    case GrpcStatus::deadline_exceeded:
    case GrpcStatus::aborted:
    case GrpcStatus::out_of_range:
    case GrpcStatus::unavailable:
    case GrpcStatus::data_loss: return true;
    // Also what a message that is too large is called, which no waiting mends.
    case GrpcStatus::resource_exhausted: return retry_info;
    default: return false;
  }
}

// What the peer says about its refusal: the message of a protobuf status, else the body itself.
std::string said(const HttpReply& reply) {
  if (reply.header("content-type").starts_with("application/x-protobuf")) {
    const auto status = decode_rpc_status(reply.body);
    return status ? printable_beginning(status->message, kQuoted) : "";
  }
  return printable_beginning(reply.body, kQuoted);
}

std::string words_of(const HttpReply& reply) {
  std::string words = fmt::format("HTTP status {}", reply.status);
  if (const std::string text = said(reply); !text.empty()) words += ": " + text;
  if (reply.status >= 300 && reply.status < 400) {
    const std::string target = printable_beginning(reply.header("location"), kQuoted);
    words += fmt::format("; redirects are not followed: set the address to {}",
                         target.empty() ? "where it leads" : target);
  } else if (reply.status == 401 || reply.status == 403) {
    words += "; see auth and headers in the config";
  } else if (reply.status == 407) {
    words += "; give the proxy's credentials: proxy: http://user:password@host:port";
  }
  return words;
}

Outcome outcome_of(const HttpReply& reply, RetryRule rule) {
  if (reply.status == 401 || reply.status == 403 || reply.status == 407) {
    return Outcome::unauthorized;
  }
  return may_retry(reply.status, rule) ? Outcome::retry : Outcome::refused;
}

}  // namespace

Delivery delivery_of(const TransportFailure& failure) {
  return {.outcome = Outcome::retry,
          .reason = std::string(to_string(failure.kind)),
          .words = describe({.message = failure.message, .hint = failure.hint})};
}

Delivery delivery_of(const HttpReply& reply, RetryRule rule, Time now) {
  if (reply.status >= 200 && reply.status < 300) return Delivery::accepted();
  Delivery delivery{.outcome = outcome_of(reply, rule),
                    .reason = fmt::format("http_{}", reply.status),
                    .words = words_of(reply)};
  if (delivery.outcome == Outcome::retry) {
    delivery.retry_after = parse_retry_after(reply.header("retry-after"), now);
  }
  return delivery;
}

Delivery delivery_of(const GrpcReply& reply) {
  if (reply.status == 0) return Delivery::accepted();
  const GrpcStatus status = grpc_status_of(reply.status);
  const auto details = decode_rpc_status(reply.details);
  const std::optional<Duration> delay = details ? details->retry_delay : std::nullopt;
  Delivery delivery{
      .outcome = Outcome::refused,
      .reason = fmt::format("grpc_{}", to_string(status)),
      .words = fmt::format("gRPC status {} ({})", reply.status, to_string(status)),
  };
  if (const std::string text = printable_beginning(reply.message, kQuoted); !text.empty()) {
    delivery.words += ": " + text;
  }
  if (status == GrpcStatus::unauthenticated || status == GrpcStatus::permission_denied) {
    delivery.outcome = Outcome::unauthorized;
    delivery.words += "; see auth and headers in the config";
  } else if (may_retry(status, delay.has_value())) {
    delivery.outcome = Outcome::retry;
    delivery.retry_after = delay;
  }
  return delivery;
}

}  // namespace warpsight
