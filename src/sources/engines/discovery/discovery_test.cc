#include "sources/engines/discovery/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include "sources/engines/discovery/known_engines_for_test.h"
#include "sources/engines/discovery/node_for_test.h"

namespace warpsight::engines {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct Answer {
  int status = 200;
  std::string body = {};
};

class DiscoveryTest : public ::testing::Test {
 protected:
  void update(const std::vector<int>& gpu_pids = {}) { discovery_.update(now_, gpu_pids); }

  // Answers until nothing more is asked; what no server has is 404, where none is there is no
  // answer.
  void converse() {
    for (auto questions = discovery_.requests(); !questions.empty();
         questions = discovery_.requests()) {
      for (const Question& question : questions) {
        asked_.push_back(question.address + question.path);
        const auto server = servers_.find(question.address);
        Answer answer{0, ""};
        if (server != servers_.end()) {
          const auto found = server->second.find(question.path);
          answer = found != server->second.end() ? found->second : Answer{404, ""};
        }
        discovery_.answer(question.candidate, question.path, answer.status, answer.body,
                          "text/plain", now_);
      }
    }
  }
  void round() {
    asked_.clear();
    update();
    converse();
  }

  void start_vllm(uint16_t port, int pid, uint64_t inode) {
    node_.process(pid, 1, fmt::format("vllm serve m --port {} --api-key s3cret", port));
    node_.listen(port, inode, pid);
    servers_[fmt::format("127.0.0.1:{}", port)] = {{"/version", {200, R"({"version":"0.11.0"})"}},
                                                   {"/metrics", {200, "vllm:x 1\n"}}};
  }

  testing::FakeNode node_;
  std::vector<EngineTable> tables_ = testing::known_engines();
  Discovery discovery_{tables_, {.root = node_.path(), .own_pid = 999}};
  SteadyTime now_{std::chrono::hours{1}};
  std::map<std::string, std::map<std::string, Answer>> servers_;
  std::vector<std::string> asked_;
};

TEST_F(DiscoveryTest, AnEngineIsFoundOnceAndSaidInWords) {
  start_vllm(8000, 4242, 11);
  round();
  EXPECT_THAT(discovery_.found(), ElementsAre(FoundEndpoint{.address = "127.0.0.1:8000",
                                                            .path = "/metrics",
                                                            .engine = "vllm",
                                                            .version = "0.11.0",
                                                            .pid = 4242}));
  EXPECT_THAT(discovery_.describe(),
              ElementsAre("127.0.0.1:8000: vLLM 0.11.0 (pid 4242), by command line"));
  now_ += minutes{60};
  round();
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_THAT(discovery_.found(), SizeIs(1));
}

TEST_F(DiscoveryTest, AnEndedListenerVanishes) {
  start_vllm(8000, 42, 11);
  round();
  node_.close(11);
  node_.end(42);
  update();
  EXPECT_THAT(discovery_.found(), IsEmpty());
  EXPECT_THAT(discovery_.describe(), IsEmpty());
}

TEST_F(DiscoveryTest, AnotherServerAtTheSamePortIsIdentifiedAnew) {
  start_vllm(8000, 42, 11);
  round();
  node_.close(11);
  node_.end(42);
  node_.process(43, 1, "nginx");
  node_.listen(8000, 12, 43);
  servers_["127.0.0.1:8000"] = {};
  round();
  EXPECT_THAT(discovery_.found(), IsEmpty());
  EXPECT_THAT(asked_, Not(IsEmpty()));
}

TEST_F(DiscoveryTest, WhatIsNoEngineIsLeftAloneUntilItsSocketIsAnother) {
  node_.listen(8000, 11);
  servers_["127.0.0.1:8000"] = {};
  round();
  EXPECT_THAT(asked_, Not(IsEmpty()));
  now_ += std::chrono::hours{24};
  round();
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_THAT(discovery_.describe(), ElementsAre("127.0.0.1:8000: no engine we know"));
  node_.close(11);
  node_.listen(8000, 12);
  round();
  EXPECT_THAT(asked_, Not(IsEmpty()));
}

TEST_F(DiscoveryTest, OneThatDoesNotAnswerIsAskedAgainEverMoreRarely) {
  node_.listen(8000, 11);
  std::vector<int> minutes_asked;
  for (int minute = 0; minute <= 40; ++minute) {
    round();
    if (!asked_.empty()) minutes_asked.push_back(minute);
    now_ += minutes{1};
  }
  EXPECT_THAT(minutes_asked, ElementsAre(0, 1, 6, 21, 36));
}

TEST_F(DiscoveryTest, MetricsThatAreSwitchedOnLaterAreFound) {
  node_.process(42, 1, "llama-server -m x");
  node_.listen(8080, 11, 42);
  servers_["127.0.0.1:8080"] = {{"/metrics", {501, ""}}};
  round();
  EXPECT_THAT(discovery_.describe(), ElementsAre("127.0.0.1:8080: llama.cpp (pid 42) shows no "
                                                 "metrics; start it with --metrics"));
  servers_["127.0.0.1:8080"]["/metrics"] = {200, "llamacpp:x 1\n"};
  now_ += seconds{30};
  round();
  EXPECT_THAT(discovery_.found(), IsEmpty());
  now_ += seconds{30};
  round();
  EXPECT_THAT(discovery_.found(), SizeIs(1));
}

TEST_F(DiscoveryTest, OneThatWantsCredentialsIsNotPestered) {
  node_.process(42, 1, "llama-server -m x");
  node_.listen(8080, 11, 42);
  servers_["127.0.0.1:8080"] = {{"/metrics", {401, ""}}};
  round();
  EXPECT_THAT(discovery_.describe(),
              ElementsAre("127.0.0.1:8080: llama.cpp (pid 42) asks for credentials"));
  now_ += minutes{60};
  round();
  EXPECT_THAT(asked_, IsEmpty());
}

// A stray request to a socket by which workers talk does no good.
TEST_F(DiscoveryTest, OnlyOneSocketOfAProcessIsAskedWhenThatShowsItsPage) {
  start_vllm(8000, 42, 11);
  node_.listen(7000, 12, 42);
  node_.listen(9000, 13, 42);
  round();
  EXPECT_THAT(asked_, ElementsAre("127.0.0.1:8000/version", "127.0.0.1:8000/metrics"));
  EXPECT_THAT(discovery_.found(), SizeIs(1));
  EXPECT_THAT(discovery_.describe(),
              ::testing::Contains("127.0.0.1:7000: another socket of an engine (pid 42)"));
}

TEST_F(DiscoveryTest, TheOtherSocketsOfAProcessAreTriedWhenTheUsualOneShowsNothing) {
  start_vllm(7000, 42, 12);
  node_.listen(8000, 11, 42);
  round();
  EXPECT_THAT(discovery_.found(), SizeIs(1));
  EXPECT_EQ(discovery_.found().front().address, "127.0.0.1:7000");
}

TEST_F(DiscoveryTest, AWorkersSocketIsAskedOnceAtMost) {
  start_vllm(8000, 42, 11);
  node_.process(43, 42, "VLLM::EngineCore");
  node_.listen(7000, 12, 43);
  const std::vector<int> gpu = {43};
  update(gpu);
  converse();
  EXPECT_THAT(asked_, ::testing::Contains("127.0.0.1:7000/version"));
  asked_.clear();
  now_ += minutes{60};
  update(gpu);
  converse();
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(DiscoveryTest, ALostQuestionIsNoAnswer) {
  start_vllm(8000, 42, 11);
  update();
  ASSERT_THAT(discovery_.requests(), SizeIs(1));
  EXPECT_THAT(discovery_.requests(), IsEmpty());
  update();
  update();
  EXPECT_THAT(discovery_.describe(), ElementsAre(HasSubstr("does not answer")));
  now_ += minutes{1};
  round();
  EXPECT_THAT(discovery_.found(), SizeIs(1));
}

TEST_F(DiscoveryTest, ALateAnswerIsIgnored) {
  start_vllm(8000, 42, 11);
  update();
  const auto question = discovery_.requests().at(0);
  node_.close(11);
  update();
  discovery_.answer(question.candidate, question.path, 200, "{}", "", now_);
  EXPECT_THAT(discovery_.found(), IsEmpty());
}

TEST_F(DiscoveryTest, AContainersServerIsToldAndNotAsked) {
  node_.process(70, 1, "vllm serve m");
  node_.enter_namespace(70, "net:[4026533000]");
  node_.listen_inside(70, 8000, 21);
  node_.hold(70, 21);
  round();
  EXPECT_THAT(asked_, IsEmpty());
  ASSERT_THAT(discovery_.out_of_reach(), SizeIs(1));
  EXPECT_EQ(discovery_.out_of_reach()[0].owner.pid, 70);
  EXPECT_THAT(discovery_.describe(), ElementsAre(HasSubstr("another network namespace (pid 70)")));
}

TEST_F(DiscoveryTest, CandidatesAreBoundedAndEnginesDoNotCount) {
  for (uint16_t i = 0; i < 100; ++i)
    start_vllm(static_cast<uint16_t>(10'000 + i), 1000 + i, 500u + i);
  round();
  EXPECT_EQ(discovery_.found().size(), Discovery::kMaxCandidates);
  EXPECT_EQ(discovery_.left_out(), 36u);
  round();
  EXPECT_EQ(discovery_.found().size(), 100u);
  EXPECT_EQ(discovery_.left_out(), 0u);
}

TEST_F(DiscoveryTest, NoCommandLineIsTold) {
  start_vllm(8000, 42, 11);
  for (const std::string& line : discovery_.describe()) EXPECT_THAT(line, Not(HasSubstr("s3cret")));
  round();
  for (const std::string& line : discovery_.describe()) EXPECT_THAT(line, Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace warpsight::engines
