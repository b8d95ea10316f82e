#include "sinks/remote_write/peer.h"

#include <charconv>
#include <numeric>
#include <utility>

#include "runtime/delivery.h"
#include "runtime/log.h"

namespace warpsight {
namespace {

constexpr Duration kMetadataEvery = std::chrono::minutes{10};
constexpr std::string_view kWrittenHeader = "X-Prometheus-Remote-Write-Samples-Written";

std::optional<uint64_t> samples_written(const HttpReply& reply) {
  const std::string_view text = reply.header(kWrittenHeader);
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return count;
}

bool is_success(int status) { return status >= 200 && status < 300; }

Delivery unknown_version(const HttpReply& reply) {
  return {.outcome = Delivery::Outcome::refused,
          .reason = "version",
          .words = "the peer does not know remote write 2.0 (status " +
                   std::to_string(reply.status) + "); set version to auto or 1.0"};
}

Delivery damaged(const Error& error) {
  return {.outcome = Delivery::Outcome::refused, .reason = "damaged", .words = describe(error)};
}

const HttpHeaders& headers_of(RemoteWriteVersion version) {
  static const HttpHeaders kV1 = {{"Content-Encoding", "snappy"},
                                  {"Content-Type", "application/x-protobuf"},
                                  {"X-Prometheus-Remote-Write-Version", "0.1.0"}};
  static const HttpHeaders kV2 = {
      {"Content-Encoding", "snappy"},
      {"Content-Type", "application/x-protobuf;proto=io.prometheus.write.v2.Request"},
      {"X-Prometheus-Remote-Write-Version", "2.0.0"}};
  return version == RemoteWriteVersion::v2 ? kV2 : kV1;
}

}  // namespace

RemoteWritePeer::RemoteWritePeer(std::unique_ptr<HttpPeer> peer,
                                 std::optional<RemoteWriteVersion> version, const Clock& clock)
    : peer_(std::move(peer)),
      clock_(clock),
      fixed_(version.has_value()),
      version_(version.value_or(RemoteWriteVersion::v2)) {}

Delivery RemoteWritePeer::deliver(const Message& message) {
  request_read_ = false;
  Answer answer = send(message, std::nullopt);
  if (answer.refusal == Refusal::none) return std::move(answer.delivery);
  if (auto whole = read(message); !whole) return damaged(whole.error());
  return Salvage(request_, [&](Part part) { return send(message, part); }).run(answer);
}

Answer RemoteWritePeer::send(const Message& message, std::optional<Part> part) {
  return version_ == RemoteWriteVersion::v2 ? send_v2(message, part) : send_v1(message, part);
}

Answer RemoteWritePeer::send_v2(const Message& message, std::optional<Part> part) {
  if (part) request_.write_v2(*part, body_);
  const Reply reply = post(part ? body_ : message.bytes, RemoteWriteVersion::v2);
  if (!reply) return judge(reply);
  if (const auto written = samples_written(*reply)) {
    wrote_v2_ = true;
    return judge_written(*reply, *written, part ? request_.points(*part) : message.points);
  }
  switch (doubt_of(*reply)) {
    case Doubt::none: return judge(reply);
    case Doubt::sure:
      if (fixed_) return {unknown_version(*reply)};
      settle_for_v1(is_success(reply->status) ? "it did not say what it wrote" : "it said so");
      return send_v1(message, part);
    case Doubt::perhaps: break;
  }
  Answer older = send_v1(message, part);
  const bool understood =
      older.delivery.outcome == Delivery::Outcome::accepted || older.refusal != Refusal::none;
  if (!understood) return judge(reply);
  settle_for_v1("it refused 2.0 and took 1.0");
  return older;
}

Answer RemoteWritePeer::send_v1(const Message& message, std::optional<Part> part) {
  if (auto whole = read(message); !whole) return {damaged(whole.error())};
  const SteadyTime now = clock_.steady();
  const bool metadata = !part && (!metadata_told_ || now - *metadata_told_ >= kMetadataEvery);
  request_.write_v1(part.value_or(all_), metadata, body_);
  Answer answer = judge(post(body_, RemoteWriteVersion::v1));
  const bool taken =
      answer.refusal == Refusal::none && answer.delivery.outcome == Delivery::Outcome::accepted;
  if (metadata && taken) metadata_told_ = now;
  return answer;
}

RemoteWritePeer::Reply RemoteWritePeer::post(std::string_view body, RemoteWriteVersion version) {
  const auto compressed = snappy_.encode(body);
  if (!compressed) return tl::unexpected(Delivery::of(fail(compressed.error().message), "memory"));
  return peer_->post(headers_of(version), *compressed);
}

// A receiver of 1.0 alone may not look at the type of the content: it finds nothing in it that it
// knows, writes nothing and says that all is well. It cannot say how much it wrote.
RemoteWritePeer::Doubt RemoteWritePeer::doubt_of(const HttpReply& reply) const {
  if (is_success(reply.status) || reply.status == 415) return Doubt::sure;
  const bool first =
      !fixed_ && reply.status == 400 && !wrote_v2_ && refusal_of(reply) == Refusal::none;
  return first ? Doubt::perhaps : Doubt::none;
}

void RemoteWritePeer::settle_for_v1(std::string_view why) {
  version_ = RemoteWriteVersion::v1;
  log_info("the peer speaks remote write 1.0 only", {{"peer", name()}, {"told_by", why}});
}

Answer RemoteWritePeer::judge(const Reply& reply) const {
  if (!reply) return {reply.error()};
  return {delivery_of(*reply, RetryRule::generous, clock_.now()), refusal_of(*reply)};
}

// A receiver of 2.0 writes what it can before it refuses the rest.
Answer RemoteWritePeer::judge_written(const HttpReply& reply, uint64_t written,
                                      uint64_t sent) const {
  Delivery delivery = delivery_of(reply, RetryRule::generous, clock_.now());
  const uint64_t lost = sent > written ? sent - written : 0;
  if (refusal_of(reply) != Refusal::none) {
    delivery.outcome = Delivery::Outcome::accepted;
    delivery.too_old = lost;
    delivery.reason = "too_old";
  } else if (is_success(reply.status) ||
             (delivery.outcome == Delivery::Outcome::refused && written > 0)) {
    delivery.outcome = Delivery::Outcome::accepted;
    delivery.rejected = lost;
    if (lost > 0) delivery.reason = "rejected";
    if (lost > 0 && delivery.words.empty()) {
      delivery.words =
          "the peer wrote " + std::to_string(written) + " of " + std::to_string(sent) + " points";
    }
  }
  return {std::move(delivery)};
}

Result<> RemoteWritePeer::read(const Message& message) {
  if (request_read_) return {};
  if (auto whole = request_.read(message.bytes); !whole) return whole;
  all_.resize(request_.series());
  std::iota(all_.begin(), all_.end(), 0U);
  request_read_ = true;
  return {};
}

}  // namespace warpsight
