// The other end: which version of remote write it speaks, and what its answers mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "runtime/sink.h"
#include "sinks/http_peer.h"
#include "sinks/remote_write/salvage.h"
#include "wire/compression.h"
#include "wire/remote_write/request.h"

namespace warpsight {

enum class RemoteWriteVersion : uint8_t { v1, v2 };

// For one thread, but for interrupt().
class RemoteWritePeer {
 public:
  // Without a version the peer is asked in 2.0 first, and in 1.0 from when it turns out to know
  // nothing else.
  RemoteWritePeer(std::unique_ptr<HttpPeer> peer, std::optional<RemoteWriteVersion> version,
                  const Clock& clock);

  // The message is a 2.0 request, whatever the peer speaks.
  Delivery deliver(const Message& message);

  void interrupt() { peer_->interrupt(); }
  std::string name() const { return peer_->name(); }

 private:
  using Part = std::span<const uint32_t>;
  using Reply = tl::expected<HttpReply, Delivery>;

  // How sure it is that a peer that was asked in 2.0 knows 1.0 only.
  enum class Doubt : uint8_t { none, perhaps, sure };

  // No part: the whole message.
  Answer send(const Message& message, std::optional<Part> part);
  Answer send_v2(const Message& message, std::optional<Part> part);
  Answer send_v1(const Message& message, std::optional<Part> part);
  Reply post(std::string_view body, RemoteWriteVersion version);
  Doubt doubt_of(const HttpReply& reply) const;
  void settle_for_v1(std::string_view why);
  Answer judge(const Reply& reply) const;
  Answer judge_written(const HttpReply& reply, uint64_t written, uint64_t sent) const;
  Result<> read(const Message& message);

  std::unique_ptr<HttpPeer> peer_;
  const Clock& clock_;
  bool fixed_;  // the version was configured
  RemoteWriteVersion version_;
  bool wrote_v2_ = false;  // the peer has answered as one that knows 2.0
  std::optional<SteadyTime> metadata_told_;

  Compressor snappy_{Compression::snappy};
  RemoteWriteRequest request_;
  std::vector<uint32_t> all_;  // of the series of request_
  bool request_read_ = false;  // request_ is of the message being delivered
  std::string body_;
};

}  // namespace warpsight
