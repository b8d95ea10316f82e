// What the HTTP server needs to speak TLS: certificate, key and whom to trust, from files that may
// be replaced while it runs.
#pragma once

#include <memory>
#include <string>

#include "core/clock.h"
#include "core/result.h"

struct ssl_st;

namespace warpsight {

// PEM files.
struct ServerTlsFiles {
  std::string certificate;  // with its chain
  std::string key;
  std::string client_ca;  // clients must show a certificate signed by one of these; empty: need not

  friend bool operator==(const ServerTlsFiles&, const ServerTlsFiles&) = default;
};

// TLS 1.2 and later, without resumption and renegotiation. Belongs to one thread.
class ServerTls {
 public:
  static constexpr Duration kCheckInterval = std::chrono::seconds{10};

  // `clock` must outlive it.
  static Result<std::unique_ptr<ServerTls>> load(ServerTlsFiles files, const Clock& clock);
  ~ServerTls();
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  // A new connection's state, the caller's to free; nullptr when out of memory. Looks for changed
  // files at most every kCheckInterval and takes them if they are good; if not, it logs why and the
  // old ones stay.
  ssl_st* accept();

 private:
  struct Impl;
  explicit ServerTls(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight
