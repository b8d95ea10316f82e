#include "net/grpc_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "net/grpc_message.h"
#include "net/grpc_server_test.h"
#include "platform/test_dir.h"
#include "wire/compression.h"

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;
using test::grpc_answer;
using test::grpc_frame;
using test::GrpcAnswer;
using test::GrpcRequest;
using test::ScriptedServer;
using test::serve_grpc;
using testing::HasSubstr;

constexpr const char* kPath = "/a.Service/Export";

std::unique_ptr<GrpcClient> make_client(const SocketAddress& address,
                                        Duration timeout = std::chrono::seconds{20}) {
  return std::move(GrpcClient::make({.address = address, .timeout = timeout}).value());
}

GrpcAnswer echo(const GrpcRequest& request) {
  GrpcAnswer answer = grpc_answer("0");
  answer.body = request.body;
  answer.headers.emplace_back("grpc-encoding", request.header("grpc-encoding"));
  return answer;
}

TEST(GrpcFrame, IsAFlagALengthAndTheMessage) {
  std::string framed;
  frame_grpc_message("abc", true, framed);
  EXPECT_EQ(framed, std::string("\1\0\0\0\3abc", 8));
}

TEST(GrpcClient, SendsWhatTheProtocolOrders) {
  GrpcRequest seen;
  const ScriptedServer server(serve_grpc([&](const GrpcRequest& request) {
    seen = request;
    return grpc_answer("0");
  }));
  const auto client = make_client(server.address());
  ASSERT_TRUE(client->call(kPath, {{"x-scope-orgid", "42"}}, "hello", GrpcEncoding::identity));
  EXPECT_EQ(seen.body, std::string("\0\0\0\0\5hello", 10));
  EXPECT_EQ(seen.header(":method"), "POST");
  EXPECT_EQ(seen.header(":scheme"), "http");
  EXPECT_EQ(seen.header(":path"), kPath);
  EXPECT_EQ(seen.header(":authority"), to_string(server.address()));
  EXPECT_EQ(seen.header("te"), "trailers");
  EXPECT_EQ(seen.header("content-type"), "application/grpc+proto");
  EXPECT_EQ(seen.header("grpc-accept-encoding"), "identity,gzip");
  EXPECT_EQ(seen.header("grpc-encoding"), "");
  EXPECT_EQ(seen.header("x-scope-orgid"), "42");
  EXPECT_THAT(seen.header("grpc-timeout"), testing::MatchesRegex("(20000|19[0-9]{3})m"));
}

TEST(GrpcClient, ManyCallsOfAllSizesUseOneConnection) {
  const ScriptedServer server(serve_grpc(echo));
  auto made = GrpcClient::make({.address = server.address(), .response_limit = size_t{4} << 20});
  const auto client = std::move(made.value());
  for (const GrpcEncoding encoding :
       {GrpcEncoding::identity, GrpcEncoding::gzip, GrpcEncoding::zstd}) {
    for (const size_t size : {size_t{0}, size_t{10}, size_t{3} << 20, size_t{70000}}) {
      const std::string message(size, 'x');
      const auto reply = client->call(kPath, {}, message, encoding);
      ASSERT_TRUE(reply) << reply.error().message;
      EXPECT_EQ(reply->status, 0);
      EXPECT_TRUE(reply->body == message) << size;
    }
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(GrpcClient, UnixSocketsAreCalledLocalhost) {
  const TestDir dir;
  std::string authority;
  const ScriptedServer server(dir.path() + "/grpc.sock",
                              serve_grpc([&](const GrpcRequest& request) {
                                authority = request.header(":authority");
                                return grpc_answer("0");
                              }));
  EXPECT_TRUE(make_client(server.address())->call(kPath, {}, "x", GrpcEncoding::identity));
  EXPECT_EQ(authority, "localhost");
}

TEST(GrpcClient, ACallThatTheLeavingPeerDidNotSeeGoesToItsSuccessor) {
  std::atomic<int> seen = 0;
  const ScriptedServer server(serve_grpc([&](const GrpcRequest&) {
    return ++seen == 2 ? GrpcAnswer{.goaway_unseen = true} : grpc_answer("0");
  }));
  const auto client = make_client(server.address());
  for (int i = 0; i < 3; ++i) {
    const auto reply = client->call(kPath, {}, "x", GrpcEncoding::identity);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->status, 0);
  }
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(server.connections(), 2);
}

TEST(GrpcClient, ACallThatTheLeavingPeerSawIsMadeOnce) {
  std::atomic<int> seen = 0;
  const ScriptedServer server(serve_grpc([&](const GrpcRequest&) {
    GrpcAnswer answer = grpc_answer("0");
    answer.goaway_seen = ++seen == 1;
    return answer;
  }));
  const auto client = make_client(server.address());
  EXPECT_EQ(client->call(kPath, {}, "x", GrpcEncoding::identity).value().status, 0);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(client->call(kPath, {}, "x", GrpcEncoding::identity).value().status, 0);
  EXPECT_EQ(server.connections(), 2);
}

TEST(GrpcClient, AConnectionThatDiedWhileIdleIsReplaced) {
  auto server = std::make_unique<ScriptedServer>(
      serve_grpc([](const GrpcRequest&) { return grpc_answer("0"); }));
  const TestDir dir;
  const std::string path = dir.path() + "/grpc.sock";
  const auto serve = [&] {
    return std::make_unique<ScriptedServer>(
        path, serve_grpc([](const GrpcRequest&) { return grpc_answer("0"); }));
  };
  server = serve();
  const auto client = make_client(server->address());
  ASSERT_TRUE(client->call(kPath, {}, "x", GrpcEncoding::identity));
  server.reset();
  std::filesystem::remove(path);
  server = serve();
  const auto reply = client->call(kPath, {}, "x", GrpcEncoding::identity);
  EXPECT_TRUE(reply) << reply.error().message;
}

TEST(GrpcClient, AnAnswerBeforeTheWholeRequestCounts) {
  // Reads nothing after the headers, so that the window stays shut.
  const ScriptedServer server([](test::ServerConnection& connection) {
    connection.read_some();
    std::string bytes("\0\0\0\4\0\0\0\0\0", 9);
    // HEADERS with END_STREAM on stream 1: ":status: 200" and two literal headers.
    std::string block(
        "\x88\0\x0bgrpc-status\2"
        "14",
        17);
    bytes += std::string("\0\0", 2) + static_cast<char>(block.size()) +
             std::string("\1\5\0\0\0\1", 6) + block;
    connection.send(bytes);
    connection.client_closes_within_ms(20'000);
  });
  const auto client = make_client(server.address());
  const auto reply =
      client->call(kPath, {}, std::string(size_t{4} << 20, 'x'), GrpcEncoding::identity);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 14);
}

TEST(GrpcClient, SaysWhyItCannotConnect) {
  const auto refused =
      make_client(test::unused_address())->call(kPath, {}, "x", GrpcEncoding::identity);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::connect);
  EXPECT_THAT(refused.error().hint, HasSubstr("is it running"));
  const auto unknown = make_client({.host = "no-such-host.invalid", .port = 4317})
                           ->call(kPath, {}, "x", GrpcEncoding::identity);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, Kind::resolve);
  const auto absent = make_client({.kind = SocketAddress::Kind::unix_path, .path = "/no/socket"})
                          ->call(kPath, {}, "x", GrpcEncoding::identity);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, Kind::connect);
}

TEST(GrpcClient, MetadataThatCannotBeSentIsASetupFailure) {
  const auto reply = make_client(test::unused_address())
                         ->call(kPath, {{"x", "a\r\nhush"}}, "x", GrpcEncoding::identity);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, Kind::setup);
  EXPECT_THAT(reply.error().message, testing::Not(HasSubstr("hush")));
}

TEST(GrpcClient, InterruptEndsTheCallAndAllLaterOnes) {
  std::promise<void> asked;
  const ScriptedServer server(serve_grpc([&](const GrpcRequest&) {
    asked.set_value();
    return GrpcAnswer{.hang = true};
  }));
  const auto client = make_client(server.address(), std::chrono::hours{1});
  auto reply = std::async(std::launch::async,
                          [&] { return client->call(kPath, {}, "x", GrpcEncoding::gzip); });
  asked.get_future().wait();
  client->interrupt();
  EXPECT_EQ(reply.get().error().kind, Kind::interrupted);
  EXPECT_EQ(client->call(kPath, {}, "x", GrpcEncoding::gzip).error().kind, Kind::interrupted);
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace warpsight
