#include "sources/processes/container_names.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "net/scripted_server_test.h"
#include "sources/processes/machine_for_test.h"

namespace warpsight::processes {
namespace {

using namespace std::chrono_literals;
using test::ScriptedServer;
using test::ServerConnection;
using ::testing::HasSubstr;
using warpsight::testing::FakeRoot;

const std::string kContainer(testing::kId);

std::string reply(std::string_view status, std::string_view body) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

class ContainerNamesTest : public ::testing::Test {
 protected:
  ContainerNamesTest() { root_.make_directory("/run"); }

  // A runtime that answers every request so.
  std::unique_ptr<ScriptedServer> serve(const std::string& socket, std::string answer) {
    return std::make_unique<ScriptedServer>(
        root_.path() + socket, [this, answer](ServerConnection& connection) {
          for (;;) {
            const std::string request = connection.read_request();
            if (request.empty()) return;
            if (request.starts_with("GET /containers/" + kContainer + "/json ")) ++asked_;
            connection.send(answer);
          }
        });
  }

  FakeRoot root_;
  ManualClock clock_;
  std::atomic<int> asked_ = 0;
  ContainerNames names_{clock_, root_.path(), {"/run/docker.sock", "/run/podman.sock"}};
};

TEST_F(ContainerNamesTest, ARuntimeIsAskedOncePerContainer) {
  const auto docker = serve("/run/docker.sock",
                            reply("200 OK", R"({"Name":"/trainer","Config":{"Image":"pt:2.4"}})"));
  EXPECT_TRUE(names_.follow({kContainer}));
  ASSERT_NE(names_.find(kContainer), nullptr);
  EXPECT_EQ(*names_.find(kContainer), (ContainerName{"trainer", "pt:2.4"}));
  for (int pass = 0; pass < 10; ++pass) {
    clock_.advance(1min);
    EXPECT_FALSE(names_.follow({kContainer}));
  }
  EXPECT_EQ(asked_, 1);
  names_.follow({});
  EXPECT_EQ(names_.find(kContainer), nullptr);
}

TEST_F(ContainerNamesTest, OneThatOneRuntimeDoesNotKnowIsAskedOfTheNext) {
  const auto docker = serve("/run/docker.sock", reply("404 Not Found", "{}"));
  const auto podman = serve("/run/podman.sock", reply("200 OK", R"({"Name":"web"})"));
  EXPECT_TRUE(names_.follow({kContainer}));
  EXPECT_EQ(names_.find(kContainer)->name, "web");
  EXPECT_EQ(asked_, 2);
}

TEST_F(ContainerNamesTest, OneThatNobodyKnowsIsAskedForAgainAfterAMinute) {
  const auto docker = serve("/run/docker.sock", reply("404 Not Found", "{}"));
  EXPECT_FALSE(names_.follow({kContainer}));
  clock_.advance(59s);
  EXPECT_FALSE(names_.follow({kContainer}));
  EXPECT_EQ(asked_, 1);
  clock_.advance(1s);
  names_.follow({kContainer});
  EXPECT_EQ(asked_, 2);
  EXPECT_THAT(names_.lookups().at(0).answer, HasSubstr("status 404"));
}

TEST_F(ContainerNamesTest, WithoutASocketNobodyIsAsked) {
  root_.write("/run/docker.sock", "a file");
  EXPECT_FALSE(names_.follow({kContainer}));
  EXPECT_EQ(names_.requests(), 0U);
  EXPECT_THAT(names_.lookups().at(0).answer, HasSubstr("no runtime's socket"));
}

TEST_F(ContainerNamesTest, AfterAFailureTheRuntimeIsLeftAloneForAMinute) {
  const ScriptedServer docker(root_.path() + "/run/docker.sock",
                              [](ServerConnection& connection) { connection.read_request(); });
  const std::string other(64, 'a');
  EXPECT_FALSE(names_.follow({kContainer, other}));
  EXPECT_EQ(names_.requests(), 1U) << "not once for each container";
}

TEST_F(ContainerNamesTest, AnswersThatAreNoContainerTellNothing) {
  for (const std::string& body : {std::string("not json"), std::string("{}"),
                                  std::string(R"({"Name":7})"), std::string("[1]")}) {
    FakeRoot root;
    root.make_directory("/run");
    const ScriptedServer docker(root.path() + "/run/docker.sock",
                                [&](ServerConnection& connection) {
                                  connection.read_request();
                                  connection.send(reply("200 OK", body));
                                });
    ContainerNames names(clock_, root.path(), {"/run/docker.sock"});
    EXPECT_FALSE(names.follow({kContainer})) << body;
    EXPECT_EQ(names.find(kContainer), nullptr);
  }
}

TEST_F(ContainerNamesTest, WhatTheRuntimeSaysIsMadePrintable) {
  const auto docker = serve(
      "/run/docker.sock", reply("200 OK", R"({"Name":"/a\u001b[31mb","Config":{"Image":"i\n"}})"));
  EXPECT_TRUE(names_.follow({kContainer}));
  EXPECT_EQ(names_.find(kContainer)->name, "a?[31mb");
}

}  // namespace
}  // namespace warpsight::processes
