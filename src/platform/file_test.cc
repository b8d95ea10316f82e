#include "platform/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "platform/test_dir.h"

namespace warpsight {
namespace {

TEST(UnderRoot, JoinsWithoutDoubledSlashes) {
  EXPECT_EQ(under_root("/", "/proc/stat"), "/proc/stat");
  EXPECT_EQ(under_root("", "/proc/stat"), "/proc/stat");
  EXPECT_EQ(under_root("/host/", "/proc/stat"), "/host/proc/stat");
  EXPECT_EQ(under_root("/host", "proc/stat"), "/host/proc/stat");
}

TEST(ReadFile, NamesTheFileThatIsMissingOrTooLarge) {
  const TestDir dir;
  const auto missing = read_file(dir.path() + "/none");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find(dir.path() + "/none"), std::string::npos);
  const std::string path = dir.write("big", std::string(100, 'x'));
  EXPECT_FALSE(read_file(path, 99));
  EXPECT_EQ(read_file(path, 100)->size(), 100U);
}

TEST(WriteFileAtomically, ReplacesTheFileAndLeavesNothingBeside) {
  const TestDir dir;
  const std::string path = dir.write("state", "old");
  ASSERT_TRUE(write_file_atomically(path, "new", 0600));
  EXPECT_EQ(read_file(path), "new");
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(WriteFileAtomically, FailsWhereTheFolderIsMissing) {
  const TestDir dir;
  EXPECT_FALSE(write_file_atomically(dir.path() + "/none/state", "x"));
}

TEST(FileReader, SeesWhatTheFileHoldsNow) {
  const TestDir dir;
  const std::string path = dir.write("a", "first");
  FileReader reader(path);
  std::string buffer;
  EXPECT_EQ(reader.read(buffer), "first");
  dir.write("a", "second, longer");
  EXPECT_EQ(reader.read(buffer), "second, longer");
  dir.write("a", "3");
  EXPECT_EQ(reader.read(buffer), "3");
}

TEST(FileReader, FollowsAFileThatWasReplaced) {
  const TestDir dir;
  const std::string path = dir.write("a", "old");
  FileReader reader(path);
  std::string buffer;
  ASSERT_EQ(reader.read(buffer), "old");
  ASSERT_TRUE(write_file_atomically(path, "new"));
  EXPECT_EQ(reader.read(buffer), "new");
}

TEST(FileReader, TellsAMissingFileAndFindsItWhenItAppears) {
  const TestDir dir;
  FileReader reader(dir.path() + "/late");
  std::string buffer;
  EXPECT_FALSE(reader.read(buffer));
  EXPECT_EQ(reader.error(), ENOENT);
  dir.write("late", "here");
  EXPECT_EQ(reader.read(buffer), "here");
  EXPECT_EQ(reader.error(), 0);
}

TEST(FileReader, GrowsTheBufferUpToItsLimitAndNoFurther) {
  const TestDir dir;
  const std::string path = dir.write("a", std::string(10'000, 'x'));
  std::string buffer;
  EXPECT_EQ(FileReader(path, 10'000).read(buffer)->size(), 10'000U);
  FileReader strict(path, 9'999);
  EXPECT_FALSE(strict.read(buffer));
  EXPECT_EQ(strict.error(), EFBIG);
}

TEST(FileReader, ReadsProcfsAgainAndAgain) {
  FileReader reader("/proc/self/stat");
  std::string buffer;
  ASSERT_TRUE(reader.read(buffer));
  const char* storage = buffer.data();
  EXPECT_TRUE(reader.read(buffer)->find(')') != std::string_view::npos);
  EXPECT_EQ(buffer.data(), storage);
}

}  // namespace
}  // namespace warpsight
