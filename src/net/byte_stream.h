// A connection as a stream of bytes: TCP or a unix socket, through a proxy or not, with TLS or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/patience.h"
#include "net/proxy.h"
#include "net/tls_settings.h"
#include "platform/fd.h"
#include "platform/sockets.h"

namespace warpsight {

class TlsSession;

struct StreamSettings {
  SocketAddress address;
  bool use_tls = false;
  TlsSettings tls = {};
  std::optional<Proxy> proxy = {};
};

// Never blocks but in wait(). A program that uses TLS ignores SIGPIPE.
class ByteStream {
 public:
  // Connects; with TLS the files are read anew and HTTP/2 is agreed upon.
  static TransportResult<ByteStream> open(const StreamSettings& settings, const Patience& patience);
  ~ByteStream();
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;

  // Bytes that were read into `out`; nullopt when there are none now, 0 when the peer has ended.
  TransportResult<std::optional<size_t>> read(std::span<uint8_t> out);
  // Bytes that were taken; nullopt when there is no room now.
  TransportResult<std::optional<size_t>> write(std::span<const uint8_t> bytes);

  // Until read(), or with `writing` also write(), may do more than it just did.
  TransportResult<> wait(bool writing, const Patience& patience, std::string_view doing) const;

  const std::string& peer() const { return peer_; }

 private:
  ByteStream(Fd fd, std::string peer);

  Fd fd_;
  std::unique_ptr<TlsSession> tls_;
  std::string peer_;
};

}  // namespace warpsight
