// Everything that a peer can do wrong over gRPC, and what becomes of the message.
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <ostream>
#include <protozero/pbf_writer.hpp>

#include "net/base64.h"
#include "net/grpc_client.h"
#include "net/grpc_server_test.h"
#include "runtime/delivery.h"

namespace warpsight {
namespace {

using Outcome = Delivery::Outcome;
using test::grpc_answer;
using test::grpc_frame;
using test::GrpcAnswer;
using test::GrpcRequest;
using test::ScriptedServer;
using test::serve_grpc;
using test::ServerConnection;

struct Fault {
  const char* name;
  ScriptedServer::Script script;
  std::string reason;
  Outcome outcome;
  std::optional<Duration> retry_after = {};
  std::string words = {};  // that must occur

  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
};

ScriptedServer::Script answers(GrpcAnswer answer) {
  return serve_grpc([answer = std::move(answer)](const GrpcRequest&) { return answer; });
}

ScriptedServer::Script answers_status(const std::string& status, const HttpHeaders& trailers = {}) {
  return answers(grpc_answer(status, trailers));
}

// google.rpc.Status with a RetryInfo of three seconds, in base64.
std::string retry_details() {
  std::string bytes;
  protozero::pbf_writer status(bytes);
  status.add_int32(1, 8);
  {
    protozero::pbf_writer any(status, 3);
    any.add_string(1, "type.googleapis.com/google.rpc.RetryInfo");
    protozero::pbf_writer info(any, 2);
    protozero::pbf_writer delay(info, 1);
    delay.add_int64(1, 3);
  }
  return base64_encode(bytes);
}

std::string without_padding(std::string text) {
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::string http1(std::string_view bytes) {
  return std::string(bytes) + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
}

ScriptedServer::Script says(std::string bytes) {
  return [bytes = std::move(bytes)](ServerConnection& connection) {
    connection.read_some();
    connection.send(bytes);
    connection.wait_until_client_closes();
  };
}

// A server's SETTINGS, and then bytes that are no frames of any stream.
const std::string kSettings("\0\0\0\4\0\0\0\0\0", 9);

// HEADERS of the first stream with END_STREAM; ":status: 200" and one header.
std::string headers_frame(const std::string& name, const std::string& value) {
  const auto text = [](const std::string& s) { return static_cast<char>(s.size()) + s; };
  const std::string block = std::string("\x88\0", 2) + text(name) + text(value);
  return std::string("\0\0", 2) + static_cast<char>(block.size()) + std::string("\1\5\0\0\0\1", 6) +
         block;
}

// One PING after the other, and never an answer.
void pings_for_ever(ServerConnection& connection) {
  connection.send(kSettings);
  const std::string ping = std::string("\0\0\x8\6\1\0\0\0\0", 9) + std::string(8, 'p');
  while (connection.send(ping)) {
  }
}

std::vector<Fault> faults() {
  using std::chrono::seconds;
  const GrpcAnswer trailers_only{.headers = {{"content-type", "application/grpc"},
                                             {"grpc-status", "14"},
                                             {"grpc-message", "shutting%20down%21"}}};
  const GrpcAnswer ok = grpc_answer("0");
  GrpcAnswer two_messages = ok;
  two_messages.body = grpc_frame("a") + grpc_frame("b");
  GrpcAnswer cut_message = ok;
  cut_message.body = grpc_frame("abc").substr(0, 6);
  GrpcAnswer bad_gzip = ok;
  bad_gzip.body = grpc_frame("no gzip", true);
  bad_gzip.headers.emplace_back("grpc-encoding", "gzip");
  GrpcAnswer unknown_encoding = bad_gzip;
  unknown_encoding.headers.back().second = "lzma";
  GrpcAnswer no_status = ok;
  no_status.trailers = {{"x-other", "1"}};
  GrpcAnswer large = ok;
  large.body = grpc_frame(std::string(size_t{1} << 20, 'x'));
  GrpcAnswer large_headers = ok;
  large_headers.headers.emplace_back("x-large", std::string(40000, 'x'));
  const auto http = [](const char* status) {
    return answers({.http_status = status, .headers = {{"content-type", "text/html"}}});
  };
  return {
      {"accepted", answers(ok), "", Outcome::accepted},
      {"cancelled", answers_status("1"), "grpc_cancelled", Outcome::retry},
      {"invalid_argument", answers_status("3", {{"grpc-message", "no%20such%0Apoint"}}),
       "grpc_invalid_argument", Outcome::refused, std::nullopt, "no such point"},
      {"deadline_exceeded", answers_status("4"), "grpc_deadline_exceeded", Outcome::retry},
      {"permission_denied", answers_status("7"), "grpc_permission_denied", Outcome::unauthorized},
      {"exhausted_for_good", answers_status("8"), "grpc_resource_exhausted", Outcome::refused},
      {"exhausted_for_now", answers_status("8", {{"grpc-status-details-bin", retry_details()}}),
       "grpc_resource_exhausted", Outcome::retry, seconds{3}},
      {"exhausted_with_broken_details", answers_status("8", {{"grpc-status-details-bin", "%%"}}),
       "grpc_resource_exhausted", Outcome::refused},
      {"unavailable", answers_status("14"), "grpc_unavailable", Outcome::retry},
      {"unavailable_for_a_while",
       answers_status("14", {{"grpc-status-details-bin", without_padding(retry_details())}}),
       "grpc_unavailable", Outcome::retry, seconds{3}},
      {"unauthenticated", answers_status("16"), "grpc_unauthenticated", Outcome::unauthorized},
      {"status_without_meaning", answers_status("99"), "grpc_unknown", Outcome::refused},
      {"trailers_only", answers(trailers_only), "grpc_unavailable", Outcome::retry, std::nullopt,
       "shutting down!"},
      {"http_400", http("400"), "grpc_internal", Outcome::refused},
      {"http_401", http("401"), "grpc_unauthenticated", Outcome::unauthorized},
      {"http_403", http("403"), "grpc_permission_denied", Outcome::unauthorized},
      {"http_404", http("404"), "grpc_unimplemented", Outcome::refused, std::nullopt,
       "HTTP status 404"},
      {"http_429", http("429"), "grpc_unavailable", Outcome::retry},
      {"http_503", http("503"), "grpc_unavailable", Outcome::retry},
      {"http_500", http("500"), "grpc_unknown", Outcome::refused},
      {"http_200_of_another_kind", http("200"), "protocol", Outcome::retry, std::nullopt,
       "text/html"},
      {"no_status", answers(no_status), "protocol", Outcome::retry},
      {"stream_refused", answers({.reset = NGHTTP2_REFUSED_STREAM}), "grpc_unavailable",
       Outcome::retry},
      {"stream_cancelled", answers({.reset = NGHTTP2_CANCEL}), "grpc_cancelled", Outcome::retry},
      {"stream_failed", answers({.reset = NGHTTP2_INTERNAL_ERROR}), "grpc_internal",
       Outcome::refused},
      {"goaway_always", answers({.goaway_unseen = true}), "grpc_unavailable", Outcome::retry},
      {"two_messages", answers(two_messages), "protocol", Outcome::retry},
      {"cut_message", answers(cut_message), "protocol", Outcome::retry},
      {"invalid_gzip", answers(bad_gzip), "protocol", Outcome::retry},
      {"unknown_encoding", answers(unknown_encoding), "protocol", Outcome::retry, std::nullopt,
       "lzma"},
      {"too_large", answers(large), "too_large", Outcome::retry},
      {"headers_too_large", answers(large_headers), "too_large", Outcome::retry},
      {"never_answers", answers({.hang = true}), "timeout", Outcome::retry},
      {"never_greets", [](ServerConnection& c) { c.wait_until_client_closes(); }, "timeout",
       Outcome::retry},
      {"pings_for_ever", pings_for_ever, "timeout", Outcome::retry},
      {"only_headers", says(kSettings + headers_frame("grpc-status", "0")), "", Outcome::accepted},
      {"malformed_headers", says(kSettings + headers_frame("Grpc-Status", "0")), "protocol",
       Outcome::retry},
      {"http1_server", says(http1("HTTP/1.1 400 Bad Request")), "protocol", Outcome::retry,
       std::nullopt, "OTLP/HTTP is usually 4318"},
      {"not_http", says("220 mail.example ESMTP\r\n"), "protocol", Outcome::retry, std::nullopt,
       "is this a gRPC port?"},
      {"broken_frames", says(kSettings + std::string(200, '\xff')), "protocol", Outcome::retry},
      {"closes_without_a_word", [](ServerConnection& c) { c.read_some(); }, "reset", Outcome::retry,
       std::nullopt, "is this a gRPC port?"},
      {"resets_connection",
       [](ServerConnection& c) {
         c.read_some();
         c.send(kSettings);
         c.reset();
       },
       "reset", Outcome::retry},
  };
}

class GrpcFaults : public testing::TestWithParam<Fault> {};

TEST_P(GrpcFaults, HaveTheirMeaning) {
  const Fault& fault = GetParam();
  const ScriptedServer server(fault.script);
  const bool runs_out = fault.reason == "timeout";
  const auto client = GrpcClient::make(
      {.address = server.address(),
       .timeout = runs_out ? Duration{std::chrono::milliseconds{150}} : std::chrono::seconds{20},
       .response_limit = 4096});
  ASSERT_TRUE(client);
  const auto reply = (*client)->call("/a.Service/Export", {}, "points", GrpcEncoding::identity);
  const Delivery delivery = reply ? delivery_of(*reply) : delivery_of(reply.error());
  EXPECT_EQ(delivery.reason, fault.reason) << delivery.words;
  EXPECT_EQ(delivery.outcome, fault.outcome) << delivery.words;
  EXPECT_EQ(delivery.retry_after, fault.retry_after);
  EXPECT_NE(delivery.words.find(fault.words), std::string::npos) << delivery.words;
}

INSTANTIATE_TEST_SUITE_P(Table, GrpcFaults, testing::ValuesIn(faults()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace warpsight
