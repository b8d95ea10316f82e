#include "app/listen_security.h"

#include <fmt/format.h>

namespace warpsight {
namespace {

bool has_tls(const Options& agent) { return !agent.text("listen_tls.certificate").empty(); }

bool has_identity(const Options& agent) {
  return !agent.secret("listen_auth.bearer").empty() ||
         !agent.secret("listen_auth.password").empty() ||
         !agent.text("listen_tls.client_ca").empty();
}

}  // namespace

Result<HttpSecurity> listen_security(const Options& agent, const Clock& clock) {
  const ServerTlsFiles files{agent.text("listen_tls.certificate"), agent.text("listen_tls.key"),
                             agent.text("listen_tls.client_ca")};
  const HttpCredentials credentials{agent.secret("listen_auth.bearer"),
                                    agent.text("listen_auth.username"),
                                    agent.secret("listen_auth.password")};
  if (files.certificate.empty() != files.key.empty()) {
    return fail("listen_tls.certificate and listen_tls.key go together", "set both, or neither");
  }
  if (files.certificate.empty() && !files.client_ca.empty()) {
    return fail("listen_tls.client_ca is of no use without TLS",
                "set listen_tls.certificate and listen_tls.key too");
  }
  if (credentials.username.empty() != credentials.password.empty()) {
    return fail("listen_auth.username and listen_auth.password go together",
                "set both, or neither");
  }
  HttpSecurity security;
  security.authorization = Authorization(credentials);
  if (files.certificate.empty()) return security;
  auto tls = ServerTls::load(files, clock);
  if (!tls) return tl::unexpected(std::move(tls.error()));
  security.tls = std::move(*tls);
  return security;
}

std::optional<Exposure> exposure(const SocketAddress& address, const Options& agent) {
  if (is_loopback(address)) return std::nullopt;
  const bool tls = has_tls(agent);
  const bool identity = has_identity(agent);
  if (!tls && !identity) {
    return Exposure{"the page is open to the network, unencrypted and without a password",
                    "set listen_tls and listen_auth, listen on 127.0.0.1, or keep others out by a "
                    "firewall"};
  }
  if (!tls) {
    return Exposure{"the page's password crosses the network unencrypted",
                    "set listen_tls.certificate and listen_tls.key"};
  }
  if (!identity) {
    return Exposure{"the page is open to the network without a password",
                    "set listen_auth or listen_tls.client_ca, or keep others out by a firewall"};
  }
  return std::nullopt;
}

Result<> check_exposure(const SocketAddress& address, const Options& agent) {
  if (is_loopback(address) || has_identity(agent) || agent.flag("listen_open")) return {};
  return fail(fmt::format("listening on {} would open the page to the network without a password",
                          to_string(address)),
              "set listen_auth.bearer (or listen_tls.client_ca), listen on 127.0.0.1, or say "
              "`listen_open: true` when everybody who reaches that address may read the page and "
              "silence alerts");
}

}  // namespace warpsight
