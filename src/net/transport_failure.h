// Why no answer came. What an answer says, be it an error, is not told by this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace warpsight {

struct TransportFailure {
  enum class Kind : uint8_t {
    setup,        // a library, certificate file or URL that cannot be used; trying again is vain
    resolve,      // no address for the name
    connect,      // nobody listens, or no way there
    tls,          // the handshake failed: certificate, name, version
    timeout,      // too slow, at whatever stage
    reset,        // the connection ended before the answer was whole
    protocol,     // what came was not HTTP, or its encoding is broken
    too_large,    // the answer is larger than allowed
    interrupted,  // the caller gave up
  };

  Kind kind;
  std::string message;  // for a person, never with a secret
  std::string hint = {};
};

std::string_view to_string(TransportFailure::Kind kind);

template <typename T = void>
using TransportResult = tl::expected<T, TransportFailure>;

inline tl::unexpected<TransportFailure> fail(TransportFailure::Kind kind, std::string message,
                                             std::string hint = {}) {
  return tl::unexpected<TransportFailure>(
      TransportFailure{.kind = kind, .message = std::move(message), .hint = std::move(hint)});
}

}  // namespace warpsight
