// Clients that answer as told and remember what was sent, for tests.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sinks/otlp/transport.h"

namespace warpsight::otlp::testing {

struct Sent {
  std::string where;
  HttpHeaders headers;
  std::string body;

  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

// What all clients of one factory share. The peer takes everything unless `answer` says otherwise.
struct Peer {
  std::vector<Sent> sent;
  std::vector<GrpcClientSettings> grpc_made;
  std::vector<GrpcEncoding> encodings;
  int http_made = 0;
  int interrupts = 0;
  std::function<TransportResult<HttpReply>(const Sent&)> http = [](const Sent&) {
    return HttpReply{.status = 200, .body = {}, .headers = {}};
  };
  std::function<TransportResult<GrpcReply>(const Sent&)> grpc = [](const Sent&) {
    return GrpcReply{.status = 0, .message = {}, .details = {}, .body = {}};
  };
};

class FakeHttpClient final : public HttpClient {
 public:
  explicit FakeHttpClient(Peer& peer) : peer_(peer) {}
  TransportResult<HttpReply> post(const std::string& url, const HttpHeaders& headers,
                                  std::string_view body) override {
    peer_.sent.push_back({url, headers, std::string(body)});
    return peer_.http(peer_.sent.back());
  }
  TransportResult<HttpReply> get(const std::string&, const HttpHeaders&) override {
    return HttpReply{};
  }
  void interrupt() override { ++peer_.interrupts; }

 private:
  Peer& peer_;
};

class FakeGrpcClient final : public GrpcClient {
 public:
  explicit FakeGrpcClient(Peer& peer) : peer_(peer) {}
  TransportResult<GrpcReply> call(const std::string& path, const HttpHeaders& metadata,
                                  std::string_view message, GrpcEncoding encoding) override {
    peer_.sent.push_back({path, metadata, std::string(message)});
    peer_.encodings.push_back(encoding);
    return peer_.grpc(peer_.sent.back());
  }
  void interrupt() override { ++peer_.interrupts; }

 private:
  Peer& peer_;
};

inline ClientFactory factory_of(Peer& peer) {
  return {
      .http = [&peer](const HttpClientSettings&) -> TransportResult<std::unique_ptr<HttpClient>> {
        ++peer.http_made;
        return std::make_unique<FakeHttpClient>(peer);
      },
      .grpc = [&peer](const GrpcClientSettings& settings)
          -> TransportResult<std::unique_ptr<GrpcClient>> {
        peer.grpc_made.push_back(settings);
        return std::make_unique<FakeGrpcClient>(peer);
      }};
}

}  // namespace warpsight::otlp::testing
