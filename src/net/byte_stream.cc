#include "net/byte_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "net/dial.h"
#include "net/proxy_tunnel.h"
#include "net/tls_session.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

TransportResult<std::optional<size_t>> moved(ssize_t count, const std::string& peer) {
  if (count >= 0) return static_cast<size_t>(count);
  if (errno == EAGAIN || errno == EINTR) return std::nullopt;
  return fail(Kind::reset, fmt::format("the connection to {} broke: {}", peer, errno_text(errno)));
}

}  // namespace

ByteStream::ByteStream(Fd fd, std::string peer) : fd_(std::move(fd)), peer_(std::move(peer)) {}
ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;

TransportResult<ByteStream> ByteStream::open(const StreamSettings& settings,
                                             const Patience& patience) {
  const bool tunnel = settings.proxy && settings.address.kind == SocketAddress::Kind::tcp;
  auto fd = dial(tunnel ? settings.proxy->address : settings.address, patience);
  if (!fd) return tl::unexpected(fd.error());
  if (tunnel) {
    const auto opened = open_tunnel(fd->get(), *settings.proxy, settings.address, patience);
    if (!opened) return tl::unexpected(opened.error());
  }
  ByteStream stream(std::move(*fd), to_string(settings.address));
  if (settings.use_tls) {
    auto tls = TlsSession::shake_hands(stream.fd_.get(), settings.address, settings.tls, patience);
    if (!tls) return tl::unexpected(tls.error());
    stream.tls_ = std::move(*tls);
  }
  return stream;
}

TransportResult<std::optional<size_t>> ByteStream::read(std::span<uint8_t> out) {
  if (tls_) return tls_->read(out);
  return moved(::recv(fd_.get(), out.data(), out.size(), 0), peer_);
}

TransportResult<std::optional<size_t>> ByteStream::write(std::span<const uint8_t> bytes) {
  if (tls_) return tls_->write(bytes);
  return moved(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), peer_);
}

TransportResult<> ByteStream::wait(bool writing, const Patience& patience,
                                   std::string_view doing) const {
  const int wanted = POLLIN | (writing ? POLLOUT : 0);
  const int events = tls_ ? tls_->events(writing) : wanted;
  return patience.wait(fd_.get(), static_cast<short>(events), doing);
}

}  // namespace warpsight
