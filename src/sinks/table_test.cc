#include "sinks/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace warpsight {
namespace {

TEST(SinkTable, EverySinkHasAnEnabledOptionAndSoundDefaults) {
  for (const SinkDef& def : sink_table()) {
    const Options options = Options::defaults(def.options);
    EXPECT_FALSE(options.flag("enabled")) << def.name << " writes unasked";
  }
  EXPECT_TRUE(Options::defaults(prometheus_page().options).flag("enabled"));
}

TEST(SinkTable, TheFileSinkWritesWhereItIsTold) {
  char name[] = "/tmp/warpsight-table-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const std::string directory = name;
  const auto table = sink_table();
  const auto file = std::ranges::find(table, "file", &SinkDef::name);
  ASSERT_NE(file, table.end());
  Options options = Options::defaults(file->options);
  ASSERT_TRUE(options.set("path", directory + "/x.jsonl"));
  const ManualClock clock;
  const EntityTable entities;
  auto sink = file->make({clock, entities, options, {}});
  ASSERT_TRUE(sink);
  ASSERT_EQ((*sink)->deliver({.bytes = "{}\n"}).outcome, Delivery::Outcome::accepted);
  EXPECT_EQ(std::filesystem::file_size(directory + "/x.jsonl"), 3U);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace warpsight
