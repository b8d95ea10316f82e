#include "net/test_authority_test.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <string_view>

namespace warpsight::test {
namespace {

constexpr long kDay = 24L * 3600;

// `issuer` is nullptr for an authority that signs itself.
X509* make_certificate(EVP_PKEY* key, X509* issuer, EVP_PKEY* signer, const std::string& names,
                       int valid_days) {
  static int serial = 0;
  X509* certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -30 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), valid_days * kDay);
  X509_set_pubkey(certificate, key);
  const auto* text =
      reinterpret_cast<const unsigned char*>(issuer == nullptr ? "authority" : "peer");
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, text, -1, -1,
                             0);
  X509* const above = issuer != nullptr ? issuer : certificate;
  X509_set_issuer_name(certificate, X509_get_subject_name(above));
  X509V3_CTX context;
  X509V3_set_ctx(&context, above, certificate, nullptr, nullptr, 0);
  const auto extend = [&](int id, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  };
  extend(NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
  extend(NID_subject_key_identifier, "hash");
  if (!names.empty()) extend(NID_subject_alt_name, names);
  X509_sign(certificate, signer, EVP_sha256());
  return certificate;
}

void write_certificate(const std::string& path, X509* certificate) {
  BIO* file = BIO_new_file(path.c_str(), "w");
  PEM_write_bio_X509(file, certificate);
  BIO_free(file);
}

}  // namespace

TestAuthority::TestAuthority()
    : key_(EVP_EC_gen("P-256")),
      certificate_(make_certificate(key_, nullptr, key_, "", 3650)),
      file_(dir_.path() + "/ca.pem") {
  write_certificate(file_, certificate_);
}

TestAuthority::~TestAuthority() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

CertificateFiles TestAuthority::issue(const std::string& names, int valid_days) {
  const std::string stem = dir_.path() + "/" + std::to_string(++issued_);
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = make_certificate(key, certificate_, key_, names, valid_days);
  const CertificateFiles files{.certificate = stem + ".pem", .key = stem + ".key"};
  write_certificate(files.certificate, certificate);
  BIO* file = BIO_new_file(files.key.c_str(), "w");
  PEM_write_bio_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  BIO_free(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return files;
}

ServerTls::ServerTls(const CertificateFiles& files, bool http2, const std::string& client_authority)
    : context_(SSL_CTX_new(TLS_server_method())) {
  SSL_CTX_use_certificate_chain_file(context_, files.certificate.c_str());
  SSL_CTX_use_PrivateKey_file(context_, files.key.c_str(), SSL_FILETYPE_PEM);
  if (!client_authority.empty()) {
    SSL_CTX_load_verify_file(context_, client_authority.c_str());
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  if (!http2) return;
  SSL_CTX_set_alpn_select_cb(
      context_,
      [](SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* offered,
         unsigned int size, void*) {
        static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
        const int found = SSL_select_next_proto(const_cast<unsigned char**>(out), out_size, kHttp2,
                                                sizeof kHttp2, offered, size);
        return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
      },
      nullptr);
}

ServerTls::~ServerTls() { SSL_CTX_free(context_); }

ssl_st* ServerTls::session(int fd) {
  SSL* ssl = SSL_new(context_);
  SSL_set_fd(ssl, fd);
  return ssl;
}

}  // namespace warpsight::test
