// How to trust a peer, and how to be trusted by it. Files are PEM.
#pragma once

#include <string>

namespace warpsight {

struct TlsSettings {
  std::string ca = {};           // instead of the system's authorities; empty: those
  std::string certificate = {};  // ours, for mutual TLS; with its chain
  std::string key = {};          // of that certificate
  std::string server_name = {};  // expected instead of the host's name
  bool verify = true;            // false: any certificate will do, which anybody can have
};

}  // namespace warpsight
