#include "platform/process_stats.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "platform/child.h"
#include "platform/test_dir.h"

namespace warpsight {
namespace {

TEST(ProcessStats, ReadsTheAgentItself) {
  ProcessStatsReader reader;
  const auto stats = reader.read();
  ASSERT_TRUE(stats);
  EXPECT_GT(stats->rss_bytes, 100'000U);
  EXPECT_GE(stats->threads, 1U);
  const auto pss = reader.read_pss();
  EXPECT_TRUE(!pss || *pss > 100'000U);
}

TEST(ProcessStats, SurvivesAnyCommandName) {
  const TestDir root;
  root.write(
      "proc/7/stat",
      "7 (a) R 1 ) b) S 1 7 7 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 3 0 100 1000000 25 1844\n");
  const auto stats = ProcessStatsReader(7, root.path()).read();
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->cpu_seconds, 300.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(stats->threads, 3U);
  EXPECT_EQ(stats->rss_bytes, 25U * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(ProcessStats, ReadsPssInBytes) {
  const TestDir root;
  root.write("proc/7/smaps_rollup",
             "5f00-7fff ---p 0 00:00 0 [rollup]\nRss: 40 kB\nPss:      12 kB\n");
  EXPECT_EQ(ProcessStatsReader(7, root.path()).read_pss(), 12U * 1024);
  EXPECT_FALSE(ProcessStatsReader(8, root.path()).read_pss());
}

TEST(ProcessStats, GarbageIsAnErrorAndNotZeros) {
  const TestDir root;
  root.write("proc/7/stat", "7 (short) S 1 7");
  root.write("proc/8/stat", "");
  EXPECT_FALSE(ProcessStatsReader(7, root.path()).read());
  EXPECT_FALSE(ProcessStatsReader(8, root.path()).read());
}

TEST(ProcessStats, AProcessThatEndedIsAnErrorAlsoToAnOpenReader) {
  ChildSpec spec;
  spec.argv = {"sleep", "60"};
  auto child = Child::spawn(spec);
  ASSERT_TRUE(child);
  ProcessStatsReader reader(child->pid());
  EXPECT_TRUE(reader.read());
  child->kill();
  ASSERT_TRUE(child->wait(std::chrono::seconds{30}));
  EXPECT_FALSE(reader.read());
  EXPECT_FALSE(reader.read());
}

}  // namespace
}  // namespace warpsight
