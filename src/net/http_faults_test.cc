// Everything that a peer can do wrong over HTTP, and what becomes of the message.
#include <gtest/gtest.h>

#include <ostream>

#include "net/http_client.h"
#include "net/scripted_server_test.h"
#include "runtime/delivery.h"

namespace warpsight {
namespace {

using Outcome = Delivery::Outcome;
using test::ScriptedServer;
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

std::string reply(std::string_view status, std::string_view headers, std::string_view body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

ScriptedServer::Script says(std::string bytes) {
  return [bytes = std::move(bytes)](ServerConnection& connection) {
    connection.read_request();
    connection.send(bytes);
  };
}

void slow_loris(ServerConnection& connection) {
  connection.read_request();
  const std::string head = "HTTP/1.1 200 OK\r\nX-Slow: ";
  for (size_t i = 0; !connection.client_closes_within_ms(5); ++i) {
    if (!connection.send(i < head.size() ? head.substr(i, 1) : "x")) return;
  }
}

void reset_in_mid_body(ServerConnection& connection) {
  connection.read_request();
  connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome");
  connection.reset();
}

void never_answers(ServerConnection& connection) {
  connection.read_request();
  connection.wait_until_client_closes();
}

const Time kNow{std::chrono::seconds{784111777 - 30}};

std::vector<Fault> faults() {
  using std::chrono::seconds;
  return {
      {"accepted", says(reply("200 OK", "", "")), "", Outcome::accepted},
      {"no_content", says("HTTP/1.1 204 No Content\r\n\r\n"), "", Outcome::accepted},
      {"interim_answer_first", says("HTTP/1.1 100 Continue\r\n\r\n" + reply("200 OK", "", "")), "",
       Outcome::accepted},
      {"throttled", says(reply("429 Too Many Requests", "", "")), "http_429", Outcome::retry},
      {"throttled_with_seconds", says(reply("429 Too Many Requests", "Retry-After: 7\r\n", "")),
       "http_429", Outcome::retry, seconds{7}},
      {"throttled_with_date",
       says(reply("429 Too Many Requests", "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "")),
       "http_429", Outcome::retry, seconds{30}},
      {"unavailable", says(reply("503 Service Unavailable", "Retry-After: soon\r\n", "down")),
       "http_503", Outcome::retry, std::nullopt, "HTTP status 503: down"},
      {"bad_gateway", says(reply("502 Bad Gateway", "", "")), "http_502", Outcome::retry},
      {"internal_error", says(reply("500 Internal Server Error", "", "")), "http_500",
       Outcome::refused},
      {"bad_request", says(reply("400 Bad Request", "Retry-After: 7\r\n", "bad\x1b point")),
       "http_400", Outcome::refused, std::nullopt, "bad? point"},
      {"unauthorized", says(reply("401 Unauthorized", "", "")), "http_401", Outcome::unauthorized},
      {"forbidden", says(reply("403 Forbidden", "", "")), "http_403", Outcome::unauthorized},
      {"redirect",
       says(reply("308 Permanent Redirect", "Location: https://new.example/v1\r\n", "")),
       "http_308", Outcome::refused, std::nullopt, "https://new.example/v1"},
      {"slow_loris", slow_loris, "timeout", Outcome::retry},
      {"never_answers", never_answers, "timeout", Outcome::retry},
      {"reset_in_mid_body", reset_in_mid_body, "reset", Outcome::retry},
      {"closes_without_a_word", [](ServerConnection& connection) { connection.read_request(); },
       "reset", Outcome::retry},
      {"invalid_gzip", says(reply("200 OK", "Content-Encoding: gzip\r\n", "this is no gzip data")),
       "protocol", Outcome::retry},
      {"not_http", says("220 mail.example ESMTP ready\r\n"), "protocol", Outcome::retry},
      {"too_large", says(reply("200 OK", "", std::string(5000, 'x'))), "too_large", Outcome::retry},
      {"headers_too_large",
       says("HTTP/1.1 200 OK\r\nX: " + std::string(90000, 'x') + "\r\nContent-Length: 0\r\n\r\n"),
       "too_large", Outcome::retry},
  };
}

class HttpFaults : public testing::TestWithParam<Fault> {};

TEST_P(HttpFaults, HaveTheirMeaning) {
  const Fault& fault = GetParam();
  const ScriptedServer server(fault.script);
  const bool runs_out = fault.reason == "timeout";
  const auto client = HttpClient::make(
      {.timeout = runs_out ? Duration{std::chrono::milliseconds{150}} : std::chrono::seconds{20},
       .response_limit = 4096});
  ASSERT_TRUE(client);
  const auto answer = (*client)->post(server.url(), {{"content-type", "text/plain"}}, "points");
  const Delivery delivery =
      answer ? delivery_of(*answer, RetryRule::otlp, kNow) : delivery_of(answer.error());
  EXPECT_EQ(delivery.reason, fault.reason) << delivery.words;
  EXPECT_EQ(delivery.outcome, fault.outcome) << delivery.words;
  EXPECT_EQ(delivery.retry_after, fault.retry_after);
  EXPECT_NE(delivery.words.find(fault.words), std::string::npos) << delivery.words;
}

INSTANTIATE_TEST_SUITE_P(Table, HttpFaults, testing::ValuesIn(faults()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace warpsight
