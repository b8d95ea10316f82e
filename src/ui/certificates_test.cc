#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "ui/test_certificates.h"

namespace warpsight::test {
namespace {

template <typename Write>
std::string to_pem(Write&& write) {
  BIO* bio = BIO_new(BIO_s_mem());
  write(bio);
  BUF_MEM* memory = nullptr;
  BIO_get_mem_ptr(bio, &memory);
  std::string text(memory->data, memory->length);
  BIO_free(bio);
  return text;
}

void extend(X509* certificate, int what, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

TestCertificate::TestCertificate(const std::string& name, const TestCertificate* issuer)
    : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
  X509* certificate = certificate_.get();
  static long serial = 1;
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key_.get());
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(
      certificate, issuer == nullptr ? subject : X509_get_subject_name(issuer->certificate_.get()));
  if (issuer == nullptr) {
    extend(certificate, NID_basic_constraints, "critical,CA:TRUE");
  } else {
    extend(certificate, NID_subject_alt_name, ("DNS:" + name).c_str());
  }
  X509_sign(certificate, (issuer == nullptr ? *this : *issuer).key_.get(), EVP_sha256());
}

std::string TestCertificate::certificate_pem() const {
  return to_pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate_.get()); });
}

std::string TestCertificate::key_pem() const {
  return to_pem([&](BIO* bio) {
    PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

}  // namespace warpsight::test
