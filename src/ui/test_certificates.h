// Certificates for tests, made on the spot.
#pragma once

#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

namespace warpsight::test {

// A certificate and its key. `issuer` nullptr: it signs itself and may sign others.
class TestCertificate {
 public:
  explicit TestCertificate(const std::string& name, const TestCertificate* issuer = nullptr);

  std::string certificate_pem() const;
  std::string key_pem() const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
};

}  // namespace warpsight::test
