#include "net/curl_failure.h"

#include <fmt/format.h>

#include "core/quantity.h"
#include "net/foreign_text.h"
#include "net/tls_error.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr size_t kWords = 200;

TransportFailure connect_failure(const CurlOutcome& outcome) {
  if (outcome.proxy_status >= 300) {
    return {.kind = Kind::connect,
            .message = fmt::format("the proxy will not connect to {}: HTTP status {}", outcome.peer,
                                   outcome.proxy_status),
            .hint = outcome.proxy_status == 407
                        ? "give its credentials: proxy: http://user:password@host:port"
                        : "let the proxy allow this peer, or name it in NO_PROXY"};
  }
  return {.kind = Kind::connect,
          .message = fmt::format("cannot connect to {}", outcome.peer),
          .hint = "is it running, and is the address right?"};
}

TransportFailure tls_failure(const CurlOutcome& outcome) {
  const std::string words = printable_beginning(outcome.words, kWords);
  return {.kind = Kind::tls,
          .message = fmt::format("TLS with {} failed: {}", outcome.peer, words),
          .hint = std::string(tls_hint(words))};
}

TransportFailure file_failure(std::string_view options) {
  return {.kind = Kind::setup,
          .message = fmt::format("{} cannot be used", options),
          .hint = "it must be a readable PEM file"};
}

}  // namespace

TransportFailure failure_of(const CurlOutcome& outcome) {
  const std::string& peer = outcome.peer;
  if (outcome.proxy_status >= 300) return connect_failure(outcome);
  switch (outcome.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return {.kind = Kind::resolve,
              .message = fmt::format("no address for the name in {}", peer),
              .hint = "is the name right, and does DNS work on this machine?"};
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {.kind = Kind::resolve,
              .message = "no address for the name of the proxy",
              .hint = "see proxy, or HTTPS_PROXY in the environment"};
    case CURLE_COULDNT_CONNECT: return connect_failure(outcome);
    case CURLE_OPERATION_TIMEDOUT:
      return {.kind = Kind::timeout,
              .message = fmt::format("the answer of {} took longer than {}", peer,
                                     format_duration(outcome.timeout)),
              .hint = "raise timeout, or see why the peer is slow"};
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR: return tls_failure(outcome);
    case CURLE_SSL_CERTPROBLEM: return file_failure("tls.certificate or tls.key");
    case CURLE_SSL_CACERT_BADFILE: return file_failure("tls.ca");
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      // A peer that wants a certificate says so only after the handshake of TLS 1.3.
      if (outcome.words.find("alert") != std::string::npos) return tls_failure(outcome);
      return {.kind = Kind::reset,
              .message = fmt::format("{} ended the connection before its answer was whole", peer),
              .hint = peer.starts_with("https")
                          ? "see the peer's log; it may want tls.certificate and tls.key"
                          : "see the peer's log"};
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_URL_MALFORMAT:
    case CURLE_NOT_BUILT_IN:
      return {.kind = Kind::setup,
              .message = fmt::format("cannot ask {}: {}", peer,
                                     printable_beginning(outcome.words, kWords)),
              .hint = "see the address of the peer"};
    default:
      return {.kind = Kind::protocol,
              .message = fmt::format("the answer of {} cannot be read: {}", peer,
                                     printable_beginning(outcome.words, kWords)),
              .hint = "does the peer speak HTTP on this port?"};
  }
}

}  // namespace warpsight
