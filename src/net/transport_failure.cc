#include "net/transport_failure.h"

namespace warpsight {

std::string_view to_string(TransportFailure::Kind kind) {
  using enum TransportFailure::Kind;
  switch (kind) {
    case setup: return "setup";
    case resolve: return "resolve";
    case connect: return "connect";
    case tls: return "tls";
    case timeout: return "timeout";
    case reset: return "reset";
    case protocol: return "protocol";
    case too_large: return "too_large";
    case interrupted: return "interrupted";
  }
  return "unknown";
}

}  // namespace warpsight
