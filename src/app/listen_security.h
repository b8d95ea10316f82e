// Who may read the page, and whether the way there is encrypted, as the agent's keys say.
#pragma once

#include <optional>
#include <string_view>

#include "core/clock.h"
#include "core/result.h"
#include "platform/sockets.h"
#include "runtime/options.h"
#include "ui/http_server.h"

namespace warpsight {

// Of the keys listen_tls.* and listen_auth.*. An error when they do not belong together or a file
// will not do. `clock` must outlive the result.
Result<HttpSecurity> listen_security(const Options& agent, const Clock& clock);

// What others can do to a page that is served this way.
struct Exposure {
  std::string_view message;
  std::string_view hint;
};

// Nothing for an address that only this machine can reach, or where both TLS and a proof of
// identity are asked for.
std::optional<Exposure> exposure(const SocketAddress& address, const Options& agent);

// An error for an address that others can reach without a proof of identity, unless listen_open
// says that this is meant.
Result<> check_exposure(const SocketAddress& address, const Options& agent);

}  // namespace warpsight
