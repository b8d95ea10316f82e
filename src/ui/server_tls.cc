#include "ui/server_tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "platform/fd.h"
#include "runtime/log.h"

namespace warpsight {
namespace {

struct ContextFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, ContextFree>;

// Forward secrecy and authenticated encryption; TLS 1.3 has nothing else.
constexpr const char* kTls12Ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

struct FileStamp {
  int64_t time = 0;
  uint64_t inode = 0;
  int64_t size = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
using Stamps = std::array<FileStamp, 3>;

FileStamp stamp_of(const std::string& path) {
  struct stat info{};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return {};
  return {int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec, info.st_ino,
          info.st_size};
}

Stamps stamps_of(const ServerTlsFiles& files) {
  return {stamp_of(files.certificate), stamp_of(files.key), stamp_of(files.client_ca)};
}

// OpenSSL would ask the terminal for the password of an encrypted key.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

tl::unexpected<Error> fail_file(std::string_view what, const std::string& path,
                                std::string_view hint) {
  const std::string what_failed = fmt::format("cannot use the {} in {}", what, path);
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  if (::access(path.c_str(), R_OK) != 0) return fail_errno(what_failed, errno);
  return fail(fmt::format("{}: {}", what_failed, reason == nullptr ? "not understood" : reason),
              std::string(hint));
}

Result<> require_client_certificates(SSL_CTX* context, const std::string& ca) {
  STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(ca.c_str());
  if (names == nullptr || SSL_CTX_load_verify_locations(context, ca.c_str(), nullptr) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return fail_file("authorities", ca, "listen_tls.client_ca names a PEM file of certificates");
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

Result<Context> make_context(const ServerTlsFiles& files) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_server_method()));
  if (!context) return fail("cannot start TLS: out of memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context.get(), kTls12Ciphers);
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);

  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
    return fail_file("certificate", files.certificate,
                     "listen_tls.certificate names a PEM file of the certificate and its chain");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return fail_file("key", files.key,
                     "listen_tls.key names the PEM file of the certificate's own key, without a "
                     "password");
  }
  if (!files.client_ca.empty()) {
    if (auto done = require_client_certificates(context.get(), files.client_ca); !done) {
      return tl::unexpected(std::move(done.error()));
    }
  }
  return context;
}

}  // namespace

struct ServerTls::Impl {
  ServerTlsFiles files;
  const Clock& clock;
  Context context;
  Stamps stamps;
  SteadyTime checked;

  void refresh() {
    const SteadyTime now = clock.steady();
    if (now - checked < kCheckInterval) return;
    checked = now;
    const Stamps found = stamps_of(files);
    if (found == stamps) return;
    stamps = found;
    if (auto made = make_context(files); made) {
      context = std::move(*made);
      log_info("the page's certificate was replaced", {{"certificate", files.certificate}});
    } else {
      log_error("the page's new certificate cannot be used; the old one stays",
                {{"error", describe(made.error())}});
    }
  }
};

ServerTls::ServerTls(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServerTls::~ServerTls() = default;

Result<std::unique_ptr<ServerTls>> ServerTls::load(ServerTlsFiles files, const Clock& clock) {
  const Stamps stamps = stamps_of(files);
  auto context = make_context(files);
  if (!context) return tl::unexpected(std::move(context.error()));
  return std::unique_ptr<ServerTls>(new ServerTls(std::make_unique<Impl>(
      Impl{std::move(files), clock, std::move(*context), stamps, clock.steady()})));
}

ssl_st* ServerTls::accept() {
  impl_->refresh();
  return SSL_new(impl_->context.get());
}

}  // namespace warpsight
