// The server's side of gRPC calls, right or wrong, for the scripts of a ScriptedServer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "net/http_client.h"
#include "net/scripted_server_test.h"

namespace warpsight::test {

struct GrpcRequest {
  HttpHeaders headers;
  std::string body;  // with the frame

  std::string header(std::string_view name) const;
};

struct GrpcAnswer {
  std::string http_status = "200";
  HttpHeaders headers = {{"content-type", "application/grpc"}};
  std::string body = {};  // with the frame
  HttpHeaders trailers = {};
  // Instead of an answer.
  std::optional<uint32_t> reset = {};
  bool hang = false;
  // GOAWAY, as if the request had not been seen, or before the answer to it.
  bool goaway_unseen = false;
  bool goaway_seen = false;
};

using GrpcHandler = std::function<GrpcAnswer(const GrpcRequest&)>;

std::string grpc_frame(std::string_view message, bool compressed = false);
// An answer with that status in its trailers.
GrpcAnswer grpc_answer(const std::string& status, const HttpHeaders& more_trailers = {});

// Serves one connection until the client closes it.
ScriptedServer::Script serve_grpc(GrpcHandler handler);

}  // namespace warpsight::test
