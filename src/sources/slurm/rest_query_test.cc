#include "sources/slurm/rest_query.h"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>

#include "net/scripted_server_test.h"
#include "platform/test_dir.h"
#include "sources/slurm/recordings_test.h"

namespace warpsight::slurm {
namespace {

using test::ScriptedServer;
using test::ServerConnection;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string reply(int status, std::string_view body) {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

// slurmrestd of 24.11 on a unix socket: versions 40 to 42 of its API, and the recorded jobs.
class RestServer {
 public:
  explicit RestServer(int versions_to = 42) : versions_to_(versions_to) {}

  std::string address() const { return "unix:" + path(); }
  std::vector<std::string> paths() const {
    const std::lock_guard lock(mutex_);
    return paths_;
  }
  std::string last_request() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  void refuse() { refuses_ = true; }

 private:
  std::string path() const { return dir_.path() + "/restd"; }

  void serve(ServerConnection& connection) {
    for (;;) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      const size_t begin = request.find(' ') + 1;
      const std::string asked = request.substr(begin, request.find(' ', begin) - begin);
      {
        const std::lock_guard lock(mutex_);
        paths_.push_back(asked);
        last_ = request;
      }
      connection.send(answer(asked));
    }
  }
  std::string answer(const std::string& asked) const {
    if (refuses_) return reply(401, "Authentication failure");
    const std::string folder = "/slurm/v0.0." + std::to_string(versions_to_);
    if (asked == folder + "/ping") return reply(200, "{}");
    if (asked == folder + "/jobs" || asked == folder + "/job/8") {
      return reply(200, recording("24.11/squeue.json"));
    }
    if (asked.starts_with(folder + "/job/")) {
      return reply(500, R"({"errors":[{"error":"Invalid job id specified"}]})");
    }
    return reply(404, "Unable to find requested URL");
  }

  TestDir dir_;
  int versions_to_;
  std::atomic<bool> refuses_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> paths_;
  std::string last_;
  ScriptedServer server_{path(), [this](ServerConnection& connection) { serve(connection); }};
};

std::unique_ptr<JobQuery> query_of(RestSettings settings, std::string node) {
  auto made = make_rest_query(std::move(settings), std::move(node));
  EXPECT_TRUE(made);
  return made ? std::move(*made) : nullptr;
}

TEST(RestQuery, FindsTheVersionOnceAndTheJobs) {
  const RestServer server;
  const auto query = query_of({.address = server.address(), .token = "secret-token"}, "vm");
  const uint64_t wanted = 8;
  const auto jobs = query->look_up(std::span(&wanted, 1));
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_THAT(jobs->front().gpus, ElementsAre(HeldGpu{3, false}));
  EXPECT_THAT(server.last_request(), HasSubstr("X-SLURM-USER-TOKEN: secret-token"));
  const size_t asked = server.paths().size();
  const auto runs = query->list();
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->size(), 3U);
  EXPECT_EQ(server.paths().size(), asked + 1);
  EXPECT_THAT(server.paths(), Contains("/slurm/v0.0.42/ping"));
  EXPECT_THAT(query->question(8), HasSubstr("/slurm/v0.0.42/job/8"));
}

TEST(RestQuery, AnOldServerIsSpokenToInItsVersion) {
  const RestServer server(38);
  const auto query = query_of({.address = server.address() + "/"}, "vm");
  ASSERT_TRUE(query->list());
  EXPECT_EQ(server.paths().back(), "/slurm/v0.0.38/jobs");
}

TEST(RestQuery, AJobSlurmDoesNotKnowIsNoFailure) {
  const RestServer server;
  const auto query = query_of({.address = server.address()}, "vm");
  const uint64_t wanted = 77;
  const auto jobs = query->look_up(std::span(&wanted, 1));
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_THAT(*jobs, IsEmpty());
}

TEST(RestQuery, ARefusalSaysWhichOptionToSetAndNoSecret) {
  RestServer server;
  server.refuse();
  const auto query = query_of({.address = server.address(), .token = "secret-token"}, "vm");
  const auto runs = query->list();
  ASSERT_FALSE(runs);
  EXPECT_THAT(runs.error().hint, HasSubstr("slurmrestd_token"));
  EXPECT_THAT(describe(runs.error()), Not(HasSubstr("secret-token")));
}

TEST(RestQuery, NobodyThere) {
  const TestDir dir;
  const auto query = query_of({.address = "unix:" + dir.path() + "/none"}, "vm");
  const auto runs = query->list();
  ASSERT_FALSE(runs);
  EXPECT_FALSE(runs.error().hint.empty());
  EXPECT_FALSE(check_rest_address("localhost:6820"));
  EXPECT_TRUE(check_rest_address("http://localhost:6820"));
}

TEST(RestQuery, ATokenDoesNotLeaveTheMachineInClearText) {
  for (const char* address :
       {"http://slurm.example:6820", "http://192.0.2.1", "http://[2001:db8::1]:6820/",
        "http://localhost.example:6820", "http://localhost@slurm.example:6820",
        "http://localhost:x@slurm.example:6820", "http://127.0.0.1.example"}) {
    const auto made = make_rest_query({.address = address, .token = "secret-token"}, "vm");
    ASSERT_FALSE(made) << address;
    EXPECT_THAT(made.error().message, HasSubstr("slurmrestd_token"));
    EXPECT_THAT(made.error().hint, HasSubstr("https://"));
    EXPECT_THAT(describe(made.error()), Not(HasSubstr("secret-token")));
    EXPECT_TRUE(make_rest_query({.address = address}, "vm")) << address;
  }
  for (const char* address : {"https://slurm.example:6820", "http://localhost:6820",
                              "http://127.0.0.1", "http://[::1]:6820/", "unix:/run/restd"}) {
    EXPECT_TRUE(make_rest_query({.address = address, .token = "secret-token"}, "vm")) << address;
  }
}

}  // namespace
}  // namespace warpsight::slurm
