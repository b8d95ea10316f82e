#include "platform/command.h"

#include <gmock/gmock.h>

namespace warpsight {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr Duration kPatience = seconds{30};

TEST(RunCommand, KeepsStandardErrorApart) {
  const auto said = run_command({"/bin/sh", "-c", "echo out; echo err >&2; exit 1"}, kPatience);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->output, "out\n");
  EXPECT_EQ(said->errors, "err\n");
  EXPECT_EQ(said->status.code, 1);
}

TEST(RunCommand, ManyErrorsBlockNobody) {
  const auto said = run_command(
      {"/bin/sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 300000 /dev/zero; echo end"},
      kPatience);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->output.size(), 300004U);
  EXPECT_THAT(said->output, ::testing::EndsWith("end\n"));
  EXPECT_EQ(said->errors.size(), 16384U);
}

TEST(RunCommand, ArgumentsMeetNoShell) {
  const auto said = run_command({"printf", "%s", "$(echo x); `echo y` *"}, kPatience);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->output, "$(echo x); `echo y` *");
}

TEST(RunCommand, WhatItLeavesBehindIsNotWaitedFor) {
  const auto said = run_command({"/bin/sh", "-c", "echo quick; sleep 600 &"}, kPatience);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->output, "quick\n");
}

TEST(RunCommand, AnswersWithinTheDeadlineThoughTheCommandNeverEnds) {
  const auto said = run_command({"/bin/sh", "-c", "exec 1>&- 2>&-; sleep 600"}, milliseconds{50});
  ASSERT_FALSE(said);
  EXPECT_THAT(said.error().message, HasSubstr("timed out after 50ms"));
}

TEST(RunCommand, TheEnvironmentIsPutOverTheAgents) {
  const auto said =
      run_command({"/bin/sh", "-c", "echo $SLURM_CONF"}, kPatience, 1000, {"SLURM_CONF=/x"});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->output, "/x\n");
}

TEST(RunCommand, AMissingCommandIsAnErrorWithAHint) {
  const auto said = run_command({"no-such-command-here"}, kPatience);
  ASSERT_FALSE(said);
  EXPECT_FALSE(said.error().hint.empty());
}

}  // namespace
}  // namespace warpsight
