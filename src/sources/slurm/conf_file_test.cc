#include "sources/slurm/conf_file.h"

#include <gmock/gmock.h>

#include "platform/test_dir.h"

namespace warpsight::slurm {
namespace {

std::vector<ConfLine> parse(std::string_view text) {
  auto lines = parse_conf(text, [](std::string_view) { return std::string(); });
  return lines ? *lines : std::vector<ConfLine>();
}

std::string value(const ConfLine& line, std::string_view key) {
  const std::string* found = line.find(key);
  return found == nullptr ? "none" : *found;
}

TEST(ConfFile, PairsCommentsQuotesAndContinuedLines) {
  const auto lines = parse(
      "# Cluster\n"
      "ClusterName = fake # its name\n"
      "\n"
      "NODENAME=n[1-2] Name=gpu \\\n"
      "   File=/dev/nvidia[0-3] Count=4\n"
      "Prolog=\"/opt/a b/c.sh\" Comment=a\\#b x\n"
      "last=1 \\");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(value(lines[0], "clustername"), "fake");
  EXPECT_EQ(value(lines[1], "nodename"), "n[1-2]");
  EXPECT_EQ(value(lines[1], "file"), "/dev/nvidia[0-3]");
  EXPECT_EQ(value(lines[1], "count"), "4");
  EXPECT_EQ(value(lines[2], "prolog"), "/opt/a b/c.sh");
  EXPECT_EQ(value(lines[2], "comment"), "a\\#b");
  EXPECT_EQ(value(lines[2], "x"), "none");
  EXPECT_EQ(value(lines[3], "last"), "1");
}

TEST(ConfFile, IncludedFilesStandWhereTheyAreNamed) {
  const TestDir dir;
  dir.write("etc/slurm/gres.conf", "A=1\ninclude more.conf\nInclude /etc/far.conf\nD=4\n");
  dir.write("etc/slurm/more.conf", "B=2\n");
  dir.write("etc/far.conf", "C=3\nInclude missing.conf\n");
  const auto lines = read_conf(dir.path(), "/etc/slurm/gres.conf");
  ASSERT_TRUE(lines);
  std::string keys;
  for (const ConfLine& line : *lines) keys += line.fields.front().first;
  EXPECT_EQ(keys, "abcd");
}

TEST(ConfFile, FilesThatIncludeOneAnotherEnd) {
  const TestDir dir;
  dir.write("a.conf", "Include a.conf\nInclude a.conf\n");
  EXPECT_FALSE(read_conf(dir.path(), "/a.conf"));
  EXPECT_FALSE(read_conf(dir.path(), "/none.conf"));
}

}  // namespace
}  // namespace warpsight::slurm
