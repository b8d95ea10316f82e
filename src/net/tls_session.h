// TLS over a connected socket, as a client that speaks HTTP/2 within.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "net/patience.h"
#include "net/tls_settings.h"
#include "platform/sockets.h"

struct ssl_st;

namespace warpsight {

// The socket is not owned, is non-blocking and outlives the session.
class TlsSession {
 public:
  // TLS 1.2 at least. The peer's certificate must be for `settings.server_name`, or else for the
  // host of `address`.
  static TransportResult<std::unique_ptr<TlsSession>> shake_hands(int fd,
                                                                  const SocketAddress& address,
                                                                  const TlsSettings& settings,
                                                                  const Patience& patience);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // As those of ByteStream.
  TransportResult<std::optional<size_t>> read(std::span<uint8_t> out);
  TransportResult<std::optional<size_t>> write(std::span<const uint8_t> bytes);

  // What to poll the socket for; TLS may have to write in order to read.
  int events(bool writing) const;

 private:
  TlsSession(ssl_st* ssl, std::string peer);

  // What an operation of OpenSSL came to; `waits_for` is set where it must wait.
  TransportResult<std::optional<size_t>> outcome(int result, size_t size, int& waits_for);

  ssl_st* ssl_;
  std::string peer_;
  // Events of poll().
  int read_waits_for_;
  int write_waits_for_;
};

}  // namespace warpsight
