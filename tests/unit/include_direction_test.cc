// Includes point one way: core <- platform, wire <- runtime <- sources, identity, analysis,
// history, alerts, sinks <- ui <- app. What breaks that breaks the design.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tests/places.h"

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>>& allowed() {
  static const std::set<std::string> kBelowSources = {"core", "platform", "wire", "net", "runtime"};
  static const auto with = [](std::set<std::string> base, std::initializer_list<std::string> more) {
    base.insert(more);
    return base;
  };
  static const std::map<std::string, std::set<std::string>> table = {
      {"core", {"core"}},
      {"platform", {"core", "platform"}},
      {"wire", {"core", "wire"}},
      {"net", {"core", "platform", "wire", "net"}},
      {"runtime", kBelowSources},
      {"sources", with(kBelowSources, {"sources"})},
      {"identity", with(kBelowSources, {"identity"})},
      {"analysis", with(kBelowSources, {"analysis"})},
      {"sinks", with(kBelowSources, {"sinks"})},
      // The fake driver shares the binary interface with the source that loads it, nothing more.
      {"simulate",
       {"core", "platform", "simulate", "sources/nvml/abi.h", "sources/nvml/field_ids.h",
        "sources/nvml/functions.def"}},
      {"history", with(kBelowSources, {"history"})},
      {"alerts", with(kBelowSources, {"alerts"})},
      {"ui", with(kBelowSources, {"identity", "alerts", "history", "sinks", "web", "ui"})},
      {"top", {"core", "platform", "wire", "net", "top"}},
      {"app", with(kBelowSources, {"sources", "identity", "analysis", "history", "alerts", "sinks",
                                   "simulate", "ui", "top", "app"})},
  };
  return table;
}

TEST(IncludeDirection, PointsOneWay) {
  const fs::path src = fs::path(WARPSIGHT_SOURCE_DIR) / "src";
  int checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    // A test may reach for the fake driver and for anything it drives.
    if (entry.path().stem().string().ends_with("_test")) continue;
    const fs::path relative = fs::relative(entry.path(), src);
    const std::string module = *relative.begin();
    const auto rule = allowed().find(module);
    ASSERT_NE(rule, allowed().end()) << "src/" << module << " has no rule; add one";

    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      constexpr std::string_view kInclude = "#include \"";
      if (!line.starts_with(kInclude)) continue;
      const std::string target = line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
      const std::string target_module = target.substr(0, target.find('/'));
      if (target == "tests/places.h") continue;
      EXPECT_TRUE(rule->second.contains(target_module) || rule->second.contains(target))
          << relative << " includes " << target;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
