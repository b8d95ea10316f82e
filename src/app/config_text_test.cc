#include "app/config_text.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "platform/test_dir.h"

namespace warpsight {
namespace {

std::string secret_file(const TestDir& dir, std::string_view bytes, mode_t mode) {
  std::string path = dir.write("secret", bytes);
  EXPECT_EQ(::chmod(path.c_str(), mode), 0);
  return path;
}

TEST(SecretFile, DropsOneNewlineAndNoMore) {
  const TestDir dir;
  EXPECT_EQ(read_secret_file(secret_file(dir, "hunter2\n", 0600)), "hunter2");
  EXPECT_EQ(read_secret_file(secret_file(dir, "hunter2\n\n", 0640)), "hunter2\n");
  EXPECT_EQ(read_secret_file(secret_file(dir, " hunter2 ", 0600)), " hunter2 ");
}

TEST(SecretFile, OpenToEveryoneIsAnErrorThatSaysHowToCloseIt) {
  const TestDir dir;
  const std::string path = secret_file(dir, "hunter2", 0644);
  const auto secret = read_secret_file(path);
  ASSERT_FALSE(secret);
  EXPECT_NE(secret.error().hint.find("chmod 600 " + path), std::string::npos);
  EXPECT_EQ(describe(secret.error()).find("hunter2"), std::string::npos);
}

TEST(SecretFile, RefusesWhatIsNoSecret) {
  const TestDir dir;
  EXPECT_FALSE(read_secret_file(secret_file(dir, "", 0600)));
  EXPECT_FALSE(read_secret_file(secret_file(dir, std::string(100'000, 'x'), 0600)));
  EXPECT_FALSE(read_secret_file(dir.path()));
  EXPECT_FALSE(read_secret_file("relative"));
  EXPECT_FALSE(read_secret_file(dir.path() + "/none"));
  ASSERT_EQ(::mkfifo((dir.path() + "/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(read_secret_file(dir.path() + "/fifo"));
}

TEST(ExpandVariables, BoundsWhatVariablesMayAdd) {
  const ConfigInputs inputs{.variable = [](const std::string&) { return std::string(10'000, 'x'); },
                            .secret_file = nullptr};
  std::string text;
  for (int i = 0; i < 100; ++i) text += "${A}";
  EXPECT_FALSE(expand_variables(text, inputs));
  EXPECT_EQ(expand_variables("${A}", inputs)->size(), 10'000U);
}

}  // namespace
}  // namespace warpsight
