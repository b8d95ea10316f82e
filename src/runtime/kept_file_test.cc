#include "runtime/kept_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "platform/file.h"
#include "platform/test_dir.h"

namespace warpsight {
namespace {

constexpr Duration kPatience = std::chrono::seconds{20};

TEST(KeptFileThread, SaysWhatItWasLastTold) {
  const TestDir directory;
  const std::string path = directory.path() + "/deep/state.json";
  KeptFile file(path, "nothing is kept");
  for (int i = 0; i <= 100; ++i) file.put(std::to_string(i));
  ASSERT_TRUE(file.written_within(kPatience));
  EXPECT_EQ(read_file(path).value(), "100");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U) << "others may not read it";
}

TEST(KeptFileThread, WritesWhatIsLeftWhenItEnds) {
  const TestDir directory;
  const std::string path = directory.path() + "/state.json";
  {
    KeptFile(path, "nothing is kept").put("last");
  }
  EXPECT_EQ(read_file(path).value(), "last");
}

TEST(KeptFileThread, GoesOnAfterAFailure) {
  const TestDir directory;
  const std::string path = directory.path() + "/folder/state.json";
  ASSERT_TRUE(write_file_atomically(directory.path() + "/folder", "in the way"));
  KeptFile file(path, "nothing is kept");
  file.put("lost");
  ASSERT_TRUE(file.written_within(kPatience));
  std::filesystem::remove(directory.path() + "/folder");
  file.put("kept");
  ASSERT_TRUE(file.written_within(kPatience));
  EXPECT_EQ(read_file(path).value(), "kept");
}

}  // namespace
}  // namespace warpsight
