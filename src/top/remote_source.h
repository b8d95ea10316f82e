// The documents of a node, asked of its agent over HTTP.
#pragma once

#include <memory>
#include <string>

#include "core/clock.h"
#include "net/tls_settings.h"
#include "top/address.h"
#include "top/source.h"

namespace warpsight::top {

struct RemoteSettings {
  std::string token = {};     // a bearer token; empty: none
  std::string username = {};  // of Basic credentials, sent where there is no token; empty: none
  std::string password = {};
  TlsSettings tls = {};
  Duration timeout = std::chrono::seconds{5};  // of one question
};

// Fails where HTTP cannot be spoken at all.
Result<std::unique_ptr<NodeSource>> make_remote_source(const AgentAddress& address,
                                                       const RemoteSettings& settings);

}  // namespace warpsight::top
