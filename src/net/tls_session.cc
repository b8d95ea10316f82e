#include "net/tls_session.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <cerrno>

#include "net/tls_error.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr unsigned char kAlpn[] = {2, 'h', '2'};

struct ContextFreer {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, ContextFreer>;

tl::unexpected<TransportFailure> unusable(std::string_view option, const std::string& path) {
  return fail(Kind::setup, fmt::format("{} {} cannot be used: {}", option, path, take_tls_error()),
              "it must be a readable PEM file");
}

tl::unexpected<TransportFailure> no_memory() {
  return fail(Kind::setup, "cannot set up TLS: " + take_tls_error());
}

TransportResult<> load_files(SSL_CTX* context, const TlsSettings& settings) {
  if (settings.ca.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (SSL_CTX_load_verify_file(context, settings.ca.c_str()) != 1) {
    return unusable("tls.ca", settings.ca);
  }
  if (settings.certificate.empty()) return {};
  if (SSL_CTX_use_certificate_chain_file(context, settings.certificate.c_str()) != 1) {
    return unusable("tls.certificate", settings.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context, settings.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return unusable("tls.key", settings.key);
  }
  return {};
}

TransportResult<Context> make_context(const TlsSettings& settings) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return no_memory();
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // A key with a passphrase is an error, not a question on the terminal.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  SSL_CTX_set_options(context.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), settings.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (SSL_CTX_set_alpn_protos(context.get(), kAlpn, sizeof kAlpn) != 0) return no_memory();
  if (const auto loaded = load_files(context.get(), settings); !loaded) {
    return tl::unexpected(loaded.error());
  }
  return context;
}

bool is_ip(const std::string& name) {
  in6_addr parsed{};
  return ::inet_pton(AF_INET, name.c_str(), &parsed) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &parsed) == 1;
}

std::string expected_name(const SocketAddress& address, const TlsSettings& settings) {
  if (!settings.server_name.empty()) return settings.server_name;
  return address.kind == SocketAddress::Kind::tcp && !address.host.empty() ? address.host
                                                                           : "localhost";
}

bool expect_name(SSL* ssl, const std::string& name) {
  if (is_ip(name)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1;
  const long named = SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                              const_cast<char*>(name.c_str()));
  return named == 1 && SSL_set1_host(ssl, name.c_str()) == 1;
}

}  // namespace

TransportResult<std::unique_ptr<TlsSession>> TlsSession::shake_hands(int fd,
                                                                     const SocketAddress& address,
                                                                     const TlsSettings& settings,
                                                                     const Patience& patience) {
  const auto context = make_context(settings);
  if (!context) return tl::unexpected(context.error());
  SSL* ssl = SSL_new(context->get());
  if (ssl == nullptr) return no_memory();
  std::unique_ptr<TlsSession> session(new TlsSession(ssl, to_string(address)));
  if (SSL_set_fd(ssl, fd) != 1 || !expect_name(ssl, expected_name(address, settings))) {
    return no_memory();
  }
  const std::string doing = "the TLS handshake with " + session->peer_;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_connect(ssl);
    if (result == 1) return session;
    const int error = SSL_get_error(ssl, result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
    const short events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    if (const auto ready = patience.wait(fd, events, doing); !ready) {
      return tl::unexpected(ready.error());
    }
  }
  const long verified = settings.verify ? SSL_get_verify_result(ssl) : X509_V_OK;
  std::string words = take_tls_error();
  if (verified != X509_V_OK) words = X509_verify_cert_error_string(verified);
  if (words.empty()) words = "unexpected eof";
  return fail(Kind::tls, fmt::format("{} failed: {}", doing, words), std::string(tls_hint(words)));
}

TlsSession::TlsSession(ssl_st* ssl, std::string peer)
    : ssl_(ssl), peer_(std::move(peer)), read_waits_for_(POLLIN), write_waits_for_(POLLOUT) {}

TlsSession::~TlsSession() { SSL_free(ssl_); }

TransportResult<std::optional<size_t>> TlsSession::outcome(int result, size_t size,
                                                           int& waits_for) {
  if (result == 1) return size;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: waits_for = POLLIN; return std::nullopt;
    case SSL_ERROR_WANT_WRITE: waits_for = POLLOUT; return std::nullopt;
    case SSL_ERROR_ZERO_RETURN: return size_t{0};
    case SSL_ERROR_SYSCALL:
      return fail(Kind::reset,
                  fmt::format("the connection to {} broke: {}", peer_, errno_text(errno)),
                  "see the peer's log; it may want tls.certificate and tls.key");
    default: break;
  }
  // With TLS 1.3 a peer that wants a certificate says so only after the handshake.
  const std::string words = take_tls_error();
  return fail(Kind::tls, fmt::format("TLS with {} failed: {}", peer_, words),
              std::string(tls_hint(words)));
}

TransportResult<std::optional<size_t>> TlsSession::read(std::span<uint8_t> out) {
  ERR_clear_error();
  size_t size = 0;
  read_waits_for_ = POLLIN;
  const int result = SSL_read_ex(ssl_, out.data(), out.size(), &size);
  return outcome(result, size, read_waits_for_);
}

TransportResult<std::optional<size_t>> TlsSession::write(std::span<const uint8_t> bytes) {
  ERR_clear_error();
  size_t size = 0;
  write_waits_for_ = POLLOUT;
  const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &size);
  return outcome(result, size, write_waits_for_);
}

int TlsSession::events(bool writing) const {
  return read_waits_for_ | (writing ? write_waits_for_ : 0);
}

}  // namespace warpsight
