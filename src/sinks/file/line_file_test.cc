#include "sinks/file/line_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace warpsight {
namespace {

using ::testing::HasSubstr;

// A limit on file sizes is a full disk that needs no root.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &saved_);
    const rlimit full{bytes, saved_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &saved_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit saved_{};
};

class LineFileTest : public ::testing::Test {
 protected:
  LineFileTest() {
    char name[] = "/tmp/warpsight-file-XXXXXX";
    EXPECT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    config_.path = directory_ + "/deep/er/lines.jsonl";
    config_.keep = 2;
  }
  ~LineFileTest() override { std::filesystem::remove_all(directory_); }

  static std::string content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::string content() const { return content(config_.path); }

  ManualClock clock_{SystemClock().now()};
  std::string directory_;
  LineFileConfig config_;
};

TEST_F(LineFileTest, MakesTheDirectoryAndAppends) {
  LineFile file(config_, clock_);
  ASSERT_TRUE(file.append("a\n"));
  ASSERT_TRUE(file.append("b\n"));
  EXPECT_EQ(content(), "a\nb\n");
  LineFile again(config_, clock_);
  ASSERT_TRUE(again.append("c\n"));
  EXPECT_EQ(content(), "a\nb\nc\n");
}

TEST_F(LineFileTest, RotatesBySizeAndKeepsSoManyFiles) {
  config_.rotate_size = 10;
  LineFile file(config_, clock_);
  for (const char* lines : {"11111111\n", "22222222\n", "33333333\n", "44444444\n"}) {
    ASSERT_TRUE(file.append(lines));
  }
  EXPECT_EQ(content(), "44444444\n");
  EXPECT_EQ(content(config_.path + ".1"), "33333333\n");
  EXPECT_EQ(content(config_.path + ".2"), "22222222\n");
  EXPECT_FALSE(std::filesystem::exists(config_.path + ".3"));
}

TEST_F(LineFileTest, ABatchLargerThanTheLimitIsWrittenWhole) {
  config_.rotate_size = 4;
  LineFile file(config_, clock_);
  ASSERT_TRUE(file.append("a long line\n"));
  EXPECT_EQ(content(), "a long line\n");
}

TEST_F(LineFileTest, KeepingNoneStartsTheFileOver) {
  config_.rotate_size = 4;
  config_.keep = 0;
  LineFile file(config_, clock_);
  ASSERT_TRUE(file.append("one\n"));
  ASSERT_TRUE(file.append("two\n"));
  EXPECT_EQ(content(), "two\n");
  EXPECT_FALSE(std::filesystem::exists(config_.path + ".1"));
}

TEST_F(LineFileTest, RotatesByAgeAlsoOfAFileFromAnEarlierRun) {
  config_.rotate_age = std::chrono::hours{1};
  ASSERT_TRUE(LineFile(config_, clock_).append("old\n"));
  LineFile file(config_, clock_);
  clock_.advance(std::chrono::minutes{59});
  ASSERT_TRUE(file.append("young\n"));
  clock_.advance(std::chrono::minutes{2});
  ASSERT_TRUE(file.append("new\n"));
  EXPECT_EQ(content(), "new\n");
  EXPECT_EQ(content(config_.path + ".1"), "old\nyoung\n");
}

TEST_F(LineFileTest, AFullDiskLeavesWholeLinesAndTheBatchCanBeTriedAgain) {
  LineFile file(config_, clock_);
  ASSERT_TRUE(file.append("first\n"));
  {
    const FullDisk full(10);
    const auto result = file.append("second\n");
    ASSERT_FALSE(result);
    EXPECT_THAT(describe(result.error()), HasSubstr("free space"));
    EXPECT_EQ(content(), "first\n");
  }
  ASSERT_TRUE(file.append("second\n"));
  EXPECT_EQ(content(), "first\nsecond\n");
}

TEST_F(LineFileTest, HalfALineFromACrashIsCutOff) {
  std::filesystem::create_directories(directory_ + "/deep/er");
  std::ofstream(config_.path) << "whole\n" << std::string(9000, 'h');
  LineFile file(config_, clock_);
  ASSERT_TRUE(file.append("next\n"));
  EXPECT_EQ(content(), "whole\nnext\n");
}

TEST_F(LineFileTest, FollowsLogrotate) {
  LineFile file(config_, clock_);
  ASSERT_TRUE(file.append("before\n"));
  std::filesystem::rename(config_.path, config_.path + ".moved");
  ASSERT_TRUE(file.append("after\n"));
  EXPECT_EQ(content(), "after\n");
  EXPECT_EQ(content(config_.path + ".moved"), "before\n");
  std::filesystem::remove_all(directory_ + "/deep");
  ASSERT_TRUE(file.append("again\n"));
  EXPECT_EQ(content(), "again\n");
}

TEST_F(LineFileTest, EverySyncPolicyWrites) {
  config_.sync_interval = std::chrono::seconds{30};
  for (const SyncPolicy policy : {SyncPolicy::never, SyncPolicy::interval, SyncPolicy::always}) {
    config_.sync = policy;
    LineFile file(config_, clock_);
    ASSERT_TRUE(file.append("x\n"));
    clock_.advance(std::chrono::minutes{1});
    ASSERT_TRUE(file.append("y\n"));
  }
  EXPECT_EQ(content(), "x\ny\nx\ny\nx\ny\n");
}

TEST_F(LineFileTest, ADeviceIsNeverRotatedAway) {
  config_.path = "/dev/full";
  config_.rotate_size = 1;
  LineFile file(config_, clock_);
  EXPECT_FALSE(file.append("x\n"));
  EXPECT_FALSE(file.append("x\n"));
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

TEST_F(LineFileTest, APathThatCannotBeIsAnErrorEachTime) {
  std::ofstream(directory_ + "/file") << "x";
  config_.path = directory_ + "/file/lines.jsonl";
  LineFile file(config_, clock_);
  EXPECT_FALSE(file.append("x\n"));
  EXPECT_FALSE(file.append("x\n"));
}

}  // namespace
}  // namespace warpsight
