// Certificates for tests, made when needed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/test_dir.h"

struct ssl_st;
struct ssl_ctx_st;
struct evp_pkey_st;
struct x509_st;

namespace warpsight::test {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

// An authority of its own, with files in a folder of its own.
class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  const std::string& file() const { return file_; }
  // `names` as OpenSSL has them: "DNS:node1,IP:127.0.0.1".
  CertificateFiles issue(const std::string& names, int valid_days = 30);

 private:
  TestDir dir_;
  evp_pkey_st* key_;
  x509_st* certificate_;
  std::string file_;
  int issued_ = 0;
};

// How a server answers a handshake.
class ServerTls {
 public:
  // With `client_authority` clients must show a certificate of that authority. With `http2` it is
  // agreed upon where the client offers it; without, nothing is.
  ServerTls(const CertificateFiles& files, bool http2, const std::string& client_authority = {});
  ~ServerTls();
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  ssl_st* session(int fd);

 private:
  ssl_ctx_st* context_;
};

}  // namespace warpsight::test
