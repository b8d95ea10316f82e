// The keys that everything which calls a peer has in common: address, credentials, TLS, proxy.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "net/http_client.h"
#include "runtime/options.h"

namespace warpsight {

inline constexpr std::array kPeerOptions = {
    OptionDef{"headers", OptionType::secret_map, "",
              "Extra headers for every request. Values may be `${ENV}` or `file:/path`."},
    OptionDef{"timeout", OptionType::duration, "10s", "For one request, answer included.",
              "100ms..10m"},
    OptionDef{"auth.bearer", OptionType::secret, "", "Bearer token."},
    OptionDef{"auth.bearer_file", OptionType::text, "",
              "File with the bearer token; read again when it changes."},
    OptionDef{"auth.username", OptionType::text, "", "User name for basic authentication."},
    OptionDef{"auth.password", OptionType::secret, "", "Password for basic authentication."},
    OptionDef{"tls.ca", OptionType::text, "",
              "PEM file of the authorities to trust instead of the system's."},
    OptionDef{"tls.certificate", OptionType::text, "", "PEM file of our certificate (mutual TLS)."},
    OptionDef{"tls.key", OptionType::text, "", "PEM file of that certificate's key."},
    OptionDef{"tls.server_name", OptionType::text, "",
              "The name expected in the peer's certificate, where it is not the host's."},
    OptionDef{"tls.insecure_skip_verify", OptionType::boolean, "false",
              "Trust any certificate: anybody in between can then read and change everything."},
    OptionDef{"proxy", OptionType::secret, "",
              "HTTP proxy, `http://[user:password@]host:port`. Empty: as `HTTPS_PROXY`, "
              "`HTTP_PROXY` and `NO_PROXY` say."},
};

// Credentials as headers, made anew when a token's file changes.
class PeerHeaders {
 public:
  explicit PeerHeaders(Options options);

  // The configured headers and Authorization, their names in lower case as gRPC wants them. An
  // error when the token's file cannot be read.
  Result<HttpHeaders> current();

 private:
  Options options_;
  std::string token_;     // of the file, as last read
  std::string identity_;  // inode, size and time of the file that was read
};

// Checks that the files named exist and that credentials are not given twice.
Result<HttpClientSettings> peer_settings(const Options& options);

}  // namespace warpsight
