#include "runtime/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "platform/fd.h"

namespace warpsight {
namespace {

using testing::ElementsAre;

TEST(Log, TextLinesAreShortAndQuoteOnlyWhatNeedsIt) {
  const LogCapture capture;
  const std::string uuid = "GPU-1";
  log_warn("probe replaced",
           {{"gpu", uuid}, {"call", "nvml init"}, {"attempt", 2}, {"hung", true}});
  log_info("plain");
  EXPECT_THAT(capture.lines(),
              ElementsAre("warn  probe replaced gpu=GPU-1 call=\"nvml init\" attempt=2 hung=true",
                          "info  plain"));
}

TEST(Log, JsonLinesCarryTypes) {
  const LogCapture capture(LogLevel::debug, LogFormat::json);
  log_error("failed", {{"text", "a\"b\\c\nd"},
                       {"seconds", std::chrono::milliseconds{1500}},
                       {"big", std::uint64_t{18446744073709551615U}},
                       {"none", std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_THAT(capture.lines(),
              ElementsAre(R"({"level":"error","message":"failed","text":"a\"b\\c\nd",)"
                          R"("seconds":1.5,"big":18446744073709551615,"none":null})"));
}

TEST(Log, ForeignBytesCannotForgeLinesOrDriveTheTerminal) {
  const LogCapture capture;
  log_info("got", {{"name", "x\n\x1b[2Jerror  fake"}, {"bytes", "\xff\xc3"}, {"ok", "\u00e9"}});
  EXPECT_THAT(capture.lines(), ElementsAre("info  got name=\"x\\n\\u001b[2Jerror  fake\" "
                                           "bytes=\"\\ufffd\\ufffd\" ok=\"\u00e9\""));
}

TEST(Log, ALineThatIsTooLongLosesFieldsAndSaysSo) {
  const LogCapture capture(LogLevel::info, LogFormat::json);
  const std::string large(5000, 'x');
  log_info("m", {{"a", large}, {"b", large}, {"c", large}, {"d", large}, {"e", 1}});
  const std::string line = capture.lines().at(0);
  EXPECT_LE(line.size(), 4096U);
  EXPECT_NE(line.find("\"c\":\"xxx"), std::string::npos);
  EXPECT_EQ(line.find("\"d\":"), std::string::npos);
  EXPECT_NE(line.find("\"e\":1,\"truncated\":true}"), std::string::npos);
}

TEST(Log, LevelsBelowTheConfiguredAreSilent) {
  const LogCapture capture(LogLevel::warn);
  EXPECT_FALSE(log_enabled(LogLevel::info));
  log_info("no");
  log_debug("no");
  log_error("yes");
  EXPECT_THAT(capture.lines(), ElementsAre("error yes"));
}

TEST(Log, ABurstPassesAndTheRestIsCounted) {
  ManualClock clock;
  const LogCapture capture(LogLevel::debug, LogFormat::text, &clock);
  for (int i = 0; i < kLogBurst + 7; ++i) log_limited(LogLevel::warn, "gpu0", "slow call");
  log_limited(LogLevel::warn, "gpu1", "slow call");
  EXPECT_EQ(capture.lines().size(), kLogBurst + 1U);
  flush_suppressed_logs();
  EXPECT_EQ(capture.lines().size(), kLogBurst + 1U) << "the window has not ended";

  clock.advance(kLogWindow);
  flush_suppressed_logs();
  EXPECT_EQ(capture.lines().back(),
            "warn  similar lines suppressed count=7 message=\"slow call\" key=gpu0");
  log_limited(LogLevel::warn, "gpu0", "slow call");
  EXPECT_EQ(capture.lines().back(), "warn  slow call");
}

TEST(Log, TheNextLineTellsWhatTheLastWindowHeldBack) {
  ManualClock clock;
  const LogCapture capture(LogLevel::debug, LogFormat::text, &clock);
  for (int i = 0; i < kLogBurst + 1; ++i) log_limited(LogLevel::warn, "", "again");
  clock.advance(kLogWindow);
  log_limited(LogLevel::warn, "", "again");
  EXPECT_TRUE(capture.contains("suppressed count=1"));
  EXPECT_EQ(capture.lines().back(), "warn  again");
}

TEST(Log, ManyKeysStayBounded) {
  ManualClock clock;
  const LogCapture capture(LogLevel::debug, LogFormat::text, &clock);
  for (int i = 0; i < 2000; ++i) log_limited(LogLevel::warn, std::to_string(i), "noise");
  EXPECT_LT(capture.lines().size(), 400U);
  flush_suppressed_logs(true);
  EXPECT_EQ(capture.lines().back().find("warn  similar lines suppressed"), 0U);
}

TEST(Log, WritesWholeStampedLinesFromManyThreads) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const ManualClock clock;
  configure_log({.level = LogLevel::info,
                 .format = LogFormat::json,
                 .style = LogStyle::plain,
                 .fd = pipe->second.get(),
                 .clock = &clock});
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int n = 0; n < 50; ++n) log_info("tick", {{"n", 7}});
      });
    }
  }
  configure_log({});
  pipe->second.reset();
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    expected += R"({"time":"2023-11-14T22:13:20.000Z","level":"info","message":"tick","n":7})";
    expected += '\n';
  }
  EXPECT_EQ(read_all(pipe->first.get(), 1 << 20), expected);
}

TEST(Log, TheJournalGetsAPriorityInsteadOfATime) {
  auto pipe = make_pipe();
  configure_log({.level = LogLevel::info,
                 .format = LogFormat::text,
                 .style = LogStyle::journal,
                 .fd = pipe->second.get(),
                 .clock = nullptr});
  log_warn("hot", {{"gpu", 3}});
  configure_log({});
  pipe->second.reset();
  EXPECT_EQ(read_all(pipe->first.get(), 4096), "<4>hot gpu=3\n");
}

}  // namespace
}  // namespace warpsight
