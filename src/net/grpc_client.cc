#include "net/grpc_client.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "net/base64.h"
#include "net/foreign_text.h"
#include "net/grpc_message.h"
#include "net/grpc_status.h"
#include "net/http2_connection.h"
#include "net/http_header.h"
#include "net/patience.h"
#include "net/proxy.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr size_t kLargestMessage = 0xffff'ffff;
constexpr size_t kFrameOverhead = 64;

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? value : "";
}

std::optional<int> parse_status(std::string_view text) {
  int code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(code) : std::nullopt;
}

GrpcReply reply_of(GrpcStatus status, std::string message) {
  return {
      .status = static_cast<int>(status), .message = std::move(message), .details = {}, .body = {}};
}

TransportResult<GrpcReply> read_reply(const Http2Response& response, size_t limit) {
  if (const auto code = parse_status(response.header("grpc-status"))) {
    GrpcReply reply{
        .status = *code,
        .message = percent_decode(response.header("grpc-message")),
        .details = base64_decode(response.header("grpc-status-details-bin")).value_or(""),
        .body = {}};
    if (reply.status != 0) return reply;
    auto body = unframe_grpc_message(response.body, response.header("grpc-encoding"), limit);
    if (!body) return tl::unexpected(body.error());
    reply.body = std::move(*body);
    return reply;
  }
  if (response.reset) {
    return reply_of(grpc_status_of_reset(*response.reset),
                    fmt::format("the peer reset the stream with HTTP/2 error {}", *response.reset));
  }
  if (response.status != 200) {
    return reply_of(grpc_status_of_http(response.status),
                    fmt::format("HTTP status {} and no gRPC status", response.status));
  }
  const std::string_view type = response.header("content-type");
  return fail(Kind::protocol,
              type.starts_with("application/grpc")
                  ? "the answer has no gRPC status"
                  : fmt::format("the answer is not gRPC but \"{}\"", printable_beginning(type, 60)),
              "is this a gRPC port? OTLP/HTTP is usually 4318");
}

class Http2GrpcClient final : public GrpcClient {
 public:
  Http2GrpcClient(GrpcClientSettings settings, StreamSettings stream, Interruption interruption)
      : settings_(std::move(settings)),
        stream_(std::move(stream)),
        interruption_(std::move(interruption)) {}

  TransportResult<GrpcReply> call(const std::string& path, const HttpHeaders& metadata,
                                  std::string_view message, GrpcEncoding encoding) override;
  void interrupt() override { interruption_.trigger(); }

 private:
  // The message in its frame, into `body_`; yields the compression that was used.
  Compression pack(std::string_view message, GrpcEncoding encoding);
  HttpHeaders headers(const std::string& path, const HttpHeaders& metadata, Compression packed,
                      Duration left) const;
  TransportResult<Http2Response> exchange(const HttpHeaders& headers, const Patience& patience);
  TransportResult<Http2Response> exchange_once(const HttpHeaders& headers,
                                               const Patience& patience);

  GrpcClientSettings settings_;
  StreamSettings stream_;
  Interruption interruption_;
  std::unique_ptr<Http2Connection> connection_;
  Compressor gzip_{Compression::gzip};
  Compressor zstd_{Compression::zstd};
  std::string body_;
};

Compression Http2GrpcClient::pack(std::string_view message, GrpcEncoding encoding) {
  Compressor* const compressor = encoding == GrpcEncoding::gzip   ? &gzip_
                                 : encoding == GrpcEncoding::zstd ? &zstd_
                                                                  : nullptr;
  if (compressor != nullptr) {
    if (const auto packed = compressor->encode(message)) {
      frame_grpc_message(*packed, true, body_);
      return compressor->compression();
    }
  }
  frame_grpc_message(message, false, body_);
  return Compression::none;
}

HttpHeaders Http2GrpcClient::headers(const std::string& path, const HttpHeaders& metadata,
                                     Compression packed, Duration left) const {
  const bool tcp = settings_.address.kind == SocketAddress::Kind::tcp;
  HttpHeaders all = {
      {":method", "POST"},
      {":scheme", settings_.use_tls ? "https" : "http"},
      {":path", path},
      {":authority", tcp ? to_string(settings_.address) : "localhost"},
      {"te", "trailers"},
      {"content-type", "application/grpc+proto"},
      {"user-agent", kUserAgent},
      {"grpc-accept-encoding", "identity,gzip"},
      {"grpc-timeout", format_grpc_timeout(left)},
  };
  if (packed != Compression::none) all.emplace_back("grpc-encoding", wire_name(packed));
  all.insert(all.end(), metadata.begin(), metadata.end());
  return all;
}

TransportResult<Http2Response> Http2GrpcClient::exchange_once(const HttpHeaders& headers,
                                                              const Patience& patience) {
  if (connection_ && !connection_->usable(patience)) connection_.reset();
  if (!connection_) {
    auto opened = Http2Connection::open(stream_, patience);
    if (!opened) return tl::unexpected(opened.error());
    connection_ = std::move(*opened);
  }
  auto response =
      connection_->exchange({.headers = headers,
                             .body = body_,
                             .response_limit = settings_.response_limit + kFrameOverhead},
                            patience);
  if (!response || response->refused()) connection_.reset();
  return response;
}

TransportResult<Http2Response> Http2GrpcClient::exchange(const HttpHeaders& headers,
                                                         const Patience& patience) {
  auto response = exchange_once(headers, patience);
  // Refused unseen, as by a peer that is about to leave: there may be another behind the name.
  if (response && response->refused()) response = exchange_once(headers, patience);
  return response;
}

TransportResult<GrpcReply> Http2GrpcClient::call(const std::string& path,
                                                 const HttpHeaders& metadata,
                                                 std::string_view message, GrpcEncoding encoding) {
  if (interruption_.triggered()) {
    return fail(Kind::interrupted,
                fmt::format("the call of {} was stopped", to_string(settings_.address)));
  }
  for (const auto& [name, value] : metadata) {
    if (!is_header_name(name) || !is_header_value(value)) {
      return fail(Kind::setup,
                  fmt::format("the header \"{}\" cannot be sent", printable_beginning(name, 60)),
                  "see headers: in the config");
    }
  }
  if (message.size() > kLargestMessage) {
    return fail(Kind::setup, "the message is too large for gRPC");
  }
  const auto patience = Patience::lasting(settings_.timeout, interruption_);
  const Compression packed = pack(message, encoding);
  const auto response = exchange(headers(path, metadata, packed, patience.left()), patience);
  if (!response) return tl::unexpected(response.error());
  return read_reply(*response, settings_.response_limit);
}

}  // namespace

TransportResult<std::unique_ptr<GrpcClient>> GrpcClient::make(GrpcClientSettings settings) {
  auto interruption = Interruption::make();
  if (!interruption) return tl::unexpected(interruption.error());
  StreamSettings stream{
      .address = settings.address, .use_tls = settings.use_tls, .tls = settings.tls};
  const std::string proxy =
      settings.proxy.empty() ? proxy_of_environment(settings.address, environment) : settings.proxy;
  if (!proxy.empty()) {
    auto parsed = parse_proxy(proxy);
    if (!parsed) return fail(Kind::setup, parsed.error().message, parsed.error().hint);
    stream.proxy = std::move(*parsed);
  }
  return std::make_unique<Http2GrpcClient>(std::move(settings), std::move(stream),
                                           std::move(*interruption));
}

}  // namespace warpsight
