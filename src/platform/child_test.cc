#include "platform/child.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "platform/child_environment.h"
#include "platform/command.h"
#include "platform/process_stats.h"

namespace warpsight {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPatience = seconds{30};

ChildSpec shell(const std::string& script) {
  ChildSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  return spec;
}

// How the child ended, once it has.
std::string ending(Child& child) {
  const auto status = child.wait(kPatience);
  return status ? status->describe() : "still running";
}

bool gone(pid_t pid) { return ::kill(pid, 0) < 0 && errno == ESRCH; }

TEST(Child, ReportsHowItEnded) {
  auto failed = Child::spawn(shell("exit 3"));
  ASSERT_TRUE(failed);
  EXPECT_EQ(ending(*failed), "exited with 3");
  EXPECT_FALSE(failed->running());
  EXPECT_EQ(ending(*failed), "exited with 3");

  auto killed = Child::spawn(shell("kill -9 $$"));
  EXPECT_EQ(ending(*killed), "killed by signal 9 (Killed)");
}

TEST(Child, AProgramThatIsNotThereIsAnErrorAtOnce) {
  ChildSpec spec;
  spec.argv = {"/nonexistent/program"};
  EXPECT_FALSE(Child::spawn(spec));
  spec.argv = {"no-such-program-anywhere"};
  const auto child = Child::spawn(spec);
  ASSERT_FALSE(child);
  EXPECT_EQ(describe(child.error()),
            "no-such-program-anywhere is not installed; install it or put it in PATH");
}

TEST(Child, PollDoesNotWait) {
  auto child = Child::spawn(shell("exec sleep 60"));
  ASSERT_TRUE(child);
  EXPECT_FALSE(child->poll());
  EXPECT_TRUE(child->running());
  child->kill();
  EXPECT_EQ(ending(*child), "killed by signal 9 (Killed)");
}

TEST(Child, TalksOverAPassedDescriptorAndInheritsNoOther) {
  auto sockets = make_socket_pair(SOCK_STREAM);
  ASSERT_TRUE(sockets);
  ChildSpec spec = shell("ls /proc/self/fd >&5");
  spec.fds = {{.parent = sockets->second.get(), .child = 5}};
  auto child = Child::spawn(spec);
  ASSERT_TRUE(child);
  sockets->second.reset();
  const auto listing = read_all(sockets->first.get(), 4096, kPatience);
  // 3 is the directory that ls itself has open.
  EXPECT_EQ(listing, "0\n1\n2\n3\n5\n");
}

TEST(Child, SwappedDescriptorNumbersDoNotOverwriteEachOther) {
  auto first = make_pipe();
  auto second = make_pipe();
  ChildSpec spec = shell("exec /bin/sh -c 'echo one >&$0; echo two >&$1' $0 $1");
  spec.argv.push_back(std::to_string(second->second.get()));
  spec.argv.push_back(std::to_string(first->second.get()));
  spec.fds = {{.parent = first->second.get(), .child = second->second.get()},
              {.parent = second->second.get(), .child = first->second.get()}};
  auto child = Child::spawn(spec);
  ASSERT_TRUE(child);
  first->second.reset();
  second->second.reset();
  EXPECT_EQ(read_all(first->first.get(), 64, kPatience), "one\n");
  EXPECT_EQ(read_all(second->first.get(), 64, kPatience), "two\n");
}

TEST(Child, DestructionTakesGrandchildrenWithIt) {
  auto pipe = make_pipe();
  pid_t child_pid = 0;
  {
    ChildSpec spec = shell("sleep 60 & wait");
    spec.fds = {{.parent = pipe->second.get(), .child = 1}};
    auto child = Child::spawn(spec);
    ASSERT_TRUE(child);
    child_pid = child->pid();
    pipe->second.reset();
  }
  EXPECT_TRUE(gone(child_pid));
  // The grandchild held the other end; its death is the end of the stream.
  EXPECT_EQ(read_all(pipe->first.get(), 64, kPatience), "");
}

TEST(Child, WhatAnEndedChildLeftRunningGoesToo) {
  auto pipe = make_pipe();
  ChildSpec spec = shell("sleep 60 & exit 0");
  spec.fds = {{.parent = pipe->second.get(), .child = 1}};
  auto child = Child::spawn(spec);
  pipe->second.reset();
  ASSERT_TRUE(child->wait(kPatience));
  EXPECT_EQ(read_all(pipe->first.get(), 64, kPatience), "");
}

TEST(Child, StopIsFirmWithAChildThatIgnoresSigterm) {
  auto pipe = make_pipe();
  ChildSpec spec = shell("trap '' TERM; echo ready; while :; do sleep 60; done");
  spec.fds = {{.parent = pipe->second.get(), .child = 1}};
  auto child = Child::spawn(spec);
  ASSERT_TRUE(wait_readable(pipe->first.get(), kPatience));
  child->stop(milliseconds{50});
  EXPECT_EQ(ending(*child), "killed by signal 9 (Killed)");
}

TEST(Child, StartsWithDefaultSignalsAndStdinClosed) {
  const auto output =
      run_command({"/bin/sh", "-c", "cat; grep SigBlk /proc/self/status"}, kPatience);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->output, "SigBlk:\t0000000000000000\n");
}

TEST(Child, LeaksNoDescriptor) {
  const auto before = count_open_fds();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Child::spawn(shell("exit 0")));
    ASSERT_TRUE(run_command({"true"}, kPatience));
  }
  EXPECT_EQ(count_open_fds(), before);
  EXPECT_EQ(reap_abandoned_children(), 0U);
}

TEST(ChildEnvironment, KeepsTheServiceManagersVariablesFromChildren) {
  ::setenv("NOTIFY_SOCKET", "/run/x", 1);  // NOLINT(concurrency-mt-unsafe)
  ::setenv("WARPSIGHT_TEST", "old", 1);    // NOLINT(concurrency-mt-unsafe)
  const auto environment = child_environment({"WARPSIGHT_TEST=new"}, true);
  ::unsetenv("NOTIFY_SOCKET");   // NOLINT(concurrency-mt-unsafe)
  ::unsetenv("WARPSIGHT_TEST");  // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(std::ranges::count(environment, "NOTIFY_SOCKET=/run/x"), 0);
  EXPECT_EQ(std::ranges::count(environment, "WARPSIGHT_TEST=old"), 0);
  EXPECT_EQ(std::ranges::count(environment, "WARPSIGHT_TEST=new"), 1);
  EXPECT_EQ(child_environment({"A=1"}, false), std::vector<std::string>{"A=1"});
}

TEST(RunCommand, ReturnsTheOutputAndTheExitCode) {
  const auto output = run_command({"/bin/sh", "-c", "echo hello; exit 4"}, kPatience);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->output, "hello\n");
  EXPECT_EQ(output->status.code, 4);
}

TEST(RunCommand, EndsACommandThatTakesTooLongOrSaysTooMuch) {
  const auto slow = run_command({"sleep", "60"}, milliseconds{20});
  ASSERT_FALSE(slow);
  EXPECT_NE(slow.error().message.find("timed out"), std::string::npos);
  EXPECT_FALSE(run_command({"/bin/sh", "-c", "yes"}, kPatience, 1000));
}

}  // namespace
}  // namespace warpsight
