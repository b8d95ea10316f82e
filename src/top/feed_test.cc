#include "top/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>

#include "net/scripted_server_test.h"
#include "top/documents_test.h"
#include "top/once.h"
#include "top/remote_source.h"

namespace warpsight::top {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using warpsight::test::ScriptedServer;
using warpsight::test::ServerConnection;

constexpr Duration kSoon = std::chrono::milliseconds{1};

// Counts how often it was woken, and lets a test wait for that.
class Bell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    ++rung_;
    changed_.notify_all();
  }
  void wait_for(int times) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return rung_ >= times; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int rung_ = 0;
};

std::string answer(const std::string& body, const std::string& status = "200 OK") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

AgentAddress address_of(const ScriptedServer& server) { return *parse_address(server.url("/")); }

std::unique_ptr<NodeSource> source_of(const ScriptedServer& server, const std::string& token = {}) {
  return std::move(*make_remote_source(address_of(server), {.token = token}));
}

// Answers each path by the function until the client closes.
ScriptedServer::Script answers(std::function<std::string(const std::string&)> answer_to) {
  return [answer_to](ServerConnection& connection) {
    for (;;) {
      const std::string request = connection.read_request();
      if (request.empty() || !connection.send(answer_to(request))) return;
    }
  };
}

TEST(TopFeed, TellsOfTheNodeAndOfItsPast) {
  const ScriptedServer server(answers([](const std::string& request) {
    if (request.starts_with("GET /api/v1/now ")) return answer(test::document({.gpus = 1}));
    EXPECT_THAT(request, HasSubstr("GET /api/v1/series?metric=gpu.utilization"));
    return answer(
        R"({"times":[1],"series":[{"metric":"gpu.power.draw","attributes":{"gpu.uuid":"GPU-0000"},
                      "values":[5]}]})");
  }));
  Bell bell;
  Feed feed("a", source_of(server), kSoon);
  EXPECT_FALSE(feed.take());
  feed.start([&] { bell.ring(); });
  bell.wait_for(3);
  const auto update = feed.take();
  ASSERT_TRUE(update && update->node);
  EXPECT_EQ(update->node->gpus.size(), 1U);
  EXPECT_EQ(update->past.size(), 1U) << "kept although newer documents came";
}

TEST(TopFeed, AHostThatHangsNeitherBlocksTakingNorTheEnd) {
  const ScriptedServer server([](ServerConnection& connection) {
    connection.read_request();
    connection.wait_until_client_closes();
  });
  Feed feed("a", source_of(server), kSoon);
  feed.start([] {});
  EXPECT_FALSE(feed.take());
}

TEST(TopFeed, AFailureIsToldAndTheNextQuestionMayWork) {
  std::atomic<int> asked = 0;
  const ScriptedServer server(answers([&](const std::string& request) {
    if (!request.starts_with("GET /api/v1/now ")) return answer("", "404 Not Found");
    return asked++ == 0 ? answer("{}", "503 Service Unavailable")
                        : answer(test::document({.gpus = 1}));
  }));
  Bell bell;
  Feed feed("a", source_of(server), kSoon);
  feed.start([&] { bell.ring(); });
  bell.wait_for(2);
  EXPECT_TRUE(feed.take()->node);
}

TEST(TopFeed, APastThatCouldNotBeHadIsAskedForAgain) {
  std::atomic<int> asked = 0;
  const ScriptedServer server(answers([&](const std::string& request) {
    if (request.starts_with("GET /api/v1/now ")) return answer(test::document({.gpus = 1}));
    if (asked++ == 0) return answer("", "503 Service Unavailable");
    return answer(
        R"({"times":[1],"series":[{"metric":"gpu.power.draw","attributes":{"gpu.uuid":"GPU-0000"},
                      "values":[5]}]})");
  }));
  Bell bell;
  Feed feed("a", source_of(server), kSoon);
  feed.start([&] { bell.ring(); });
  bell.wait_for(4);
  EXPECT_EQ(feed.take()->past.size(), 1U);
  EXPECT_EQ(asked, 2);
}

TEST(TopFeed, ANodeWithoutHistoryIsNotAskedForItForever) {
  std::atomic<int> asked = 0;
  const ScriptedServer server(answers([&](const std::string& request) {
    if (request.starts_with("GET /api/v1/now ")) return answer(test::document({.gpus = 1}));
    ++asked;
    return answer("", "404 Not Found");
  }));
  Bell bell;
  Feed feed("a", source_of(server), kSoon);
  feed.start([&] { bell.ring(); });
  bell.wait_for(20);
  EXPECT_LE(asked, 10);
}

TEST(TopFeed, SendsAUserNameAndPasswordWhereThereIsNoToken) {
  const ScriptedServer server(answers([](const std::string& request) {
    EXPECT_THAT(request, HasSubstr("Basic dXNlcjpodXNo"));
    return answer("", "401 Unauthorized");
  }));
  const auto source =
      make_remote_source(address_of(server), {.username = "user", .password = "hush"});
  const auto text = (*source)->now();
  ASSERT_FALSE(text);
  EXPECT_THAT(describe(text.error()), HasSubstr("wants a token or a password"));
  EXPECT_THAT(describe(text.error()), Not(HasSubstr("hush")));
}

TEST(TopFeed, ShowsTheTokenToTheAgentAndToNobodyElse) {
  const ScriptedServer server(answers([](const std::string& request) {
    EXPECT_THAT(request, HasSubstr("Bearer s3cret"));
    return answer("", "401 Unauthorized");
  }));
  const auto text = source_of(server, "s3cret")->now();
  ASSERT_FALSE(text);
  EXPECT_THAT(describe(text.error()), HasSubstr("--token-file"));
  EXPECT_THAT(describe(text.error()), Not(HasSubstr("s3cret")));
}

TEST(TopFeed, NobodyListening) {
  const auto source = make_remote_source(*parse_address("127.0.0.1:1"), {});
  const auto text = (*source)->now();
  ASSERT_FALSE(text);
  EXPECT_FALSE(text.error().message.empty());
}

class Fixed final : public NodeSource {
 public:
  explicit Fixed(Result<std::string> text) : text_(std::move(text)) {}
  Result<std::string> now() override { return text_; }

 private:
  Result<std::string> text_;
};

std::vector<NamedSource> two_sources() {
  std::vector<NamedSource> sources;
  sources.push_back({"a", std::make_unique<Fixed>(test::document({.host = "a", .gpus = 1}))});
  sources.push_back({"b", std::make_unique<Fixed>(fail("connection refused", "start it"))});
  return sources;
}

TEST(TopOnce, TellsOfHostsThatAnswerAndComplainsOfThoseThatDoNot) {
  const Told told = tell_table(read_once(two_sources()), 100, Charset::ascii);
  EXPECT_THAT(told.out, HasSubstr("ml/train-0/worker"));
  EXPECT_EQ(told.errors, "b: connection refused; start it\n");
}

TEST(TopOnce, JsonOfOneHostIsItsDocument) {
  std::vector<NamedSource> sources = two_sources();
  sources.pop_back();
  EXPECT_EQ(tell_json(read_once(std::move(sources))).out,
            test::document({.host = "a", .gpus = 1}) + "\n");
}

TEST(TopOnce, JsonOfSeveralHostsIsAnArray) {
  const Told told = tell_json(read_once(two_sources()));
  EXPECT_EQ(told.out, "[" + test::document({.host = "a", .gpus = 1}) +
                          ",\n{\"host\":\"b\",\"error\":\"connection refused; start it\"}]\n");
  EXPECT_FALSE(told.errors.empty());
}

}  // namespace
}  // namespace warpsight::top
