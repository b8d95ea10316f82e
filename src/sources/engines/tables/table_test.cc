#include "sources/engines/tables/table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/window_rules.h"
#include "sources/engines/tables/release.h"

namespace warpsight::engines {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr std::string_view kSmall = R"(
name: toy
title: Toy server
ports: [7000, 7001]
paths: /metrics
prefixes: ["toy:"]
labels:
  - { from: [model, model_name], to: model.name, tells_subject: true }
  - { from: shard, to: llm.dp_rank, tells_subject: true, rank: true }
  - { from: copy, to: copy, common_only: "0" }
  - { from: host, to: "" }
re_exports:
  - { via: ray, prefix: "ray_toy:", stands_for: "toy:", labels: [{ from: WorkerId, to: llm.replica, rank: true }] }
metrics:
  - { from: ["toy:running"], own: toy.requests.running, common: llm.requests.running }
  - { from: ["toy:new_ms", "toy:old_ms"], own: toy.ttft, common: llm.ttft, scale: 0.001 }
  - { from: ["toy:done"], where: { how: badly }, own: toy.failed, kind: counter, unit: "{request}", about: requests that failed, attributes: { error.type: badly } }
  - { from: ["toy:done"], own: toy.done, kind: counter, unit: "{request}", about: requests that ended }
  - { from: ["toy:load"], own: toy.load, kind: gauge, unit: "1", about: how busy it is }
  - { from: ["toy:load"], own: toy.highest_load, kind: gauge, unit: "1", across: max, about: how busy it is at most }
  - { from: ["toy:adapters"], count_items: names, own: toy.adapters, kind: gauge, unit: "{adapter}", about: adapters in use }
windows:
  - { to: toy.done.rate, unit: "{request}/s", rate: [toy.done], about: requests a second }
  - { to: toy.mean_ttft, unit: s, ratio: { over: ["toy.ttft:sum"], under: ["toy.ttft:count"] }, about: mean time to first token }
key_names: [llm.requests.running, toy.done]
versions:
  "toy:old_ms": ..1.2.0
  "toy:new_ms": 1.1.0..
  "toy:load": 1.3.0rc1..1.9.0
)";

TEST(Table, SaysHowAServerIsFound) {
  const auto table = parse_table(kSmall, "toy.yaml");
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->name, "toy");
  EXPECT_EQ(table->title, "Toy server");
  EXPECT_EQ(table->provider, "toy");
  EXPECT_EQ(table->subject, Subject::model);
  EXPECT_EQ(table->role, Role::engine);
  EXPECT_THAT(table->ports, ElementsAre(7000, 7001));
  EXPECT_THAT(table->paths, ElementsAre("/metrics"));
  EXPECT_THAT(table->key_names, ElementsAre("llm.requests.running", "toy.done"));
}

TEST(Table, SaysWhatBecomesOfLabels) {
  const auto table = parse_table(kSmall, "toy.yaml");
  ASSERT_TRUE(table);
  ASSERT_NE(table->label("model_name"), nullptr);
  EXPECT_EQ(table->label("model_name")->to, "model.name");
  EXPECT_TRUE(table->label("model_name")->tells_subject);
  EXPECT_TRUE(table->label("shard")->rank);
  EXPECT_EQ(table->label("copy")->common_only, "0");
  EXPECT_EQ(table->label("host")->to, "");
  EXPECT_EQ(table->label("host")->common_only, std::nullopt);
  EXPECT_EQ(table->label("other"), nullptr);
  ASSERT_EQ(table->re_exports.size(), 1U);
  EXPECT_EQ(table->re_exports[0].stands_for, "toy:");
  EXPECT_EQ(table->re_exports[0].labels.at(0).to, "llm.replica");
}

TEST(Table, DeclaresItsMetrics) {
  const auto table = parse_table(kSmall, "toy.yaml");
  ASSERT_TRUE(table);
  const MetricRule& ttft = table->metrics.at(1);
  EXPECT_THAT(ttft.from, ElementsAre("toy:new_ms", "toy:old_ms"));
  EXPECT_EQ(ttft.common, Metric::llm_ttft);
  EXPECT_EQ(ttft.scale, 0.001);
  ASSERT_TRUE(ttft.own);
  const MetricRow& own = row(*ttft.own);
  EXPECT_EQ(own.name, "toy.ttft");
  EXPECT_EQ(own.kind, MetricKind::histogram) << "as the common name has it";
  EXPECT_EQ(own.unit, "s");
  EXPECT_FALSE(own.meaning.empty());
  EXPECT_EQ(own.writers, "scrape");

  const MetricRule& failed = table->metrics.at(2);
  EXPECT_THAT(failed.where, ElementsAre(Pair("how", "badly")));
  EXPECT_THAT(failed.attributes, ElementsAre(Pair("error.type", "badly")));
  EXPECT_EQ(failed.common, std::nullopt);
  EXPECT_EQ(table->metrics.at(6).count_items, "names");
}

TEST(Table, SharesAreAveragedAndTheRestIsAddedUpUnlessToldOtherwise) {
  const auto table = parse_table(kSmall, "toy.yaml");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->metrics.at(0).across, Across::sum);
  EXPECT_EQ(table->metrics.at(4).across, Across::mean);
  EXPECT_EQ(table->metrics.at(5).across, Across::max);
}

TEST(Table, DeclaresItsWindowValues) {
  ASSERT_TRUE(parse_table(kSmall, "toy.yaml"));
  const auto rule_of = [](std::string_view name) -> std::optional<WindowRule> {
    for (const WindowRule& rule : window_rules()) {
      if (row(rule.to).name == name) return rule;
    }
    return std::nullopt;
  };
  const auto rate = rule_of("toy.done.rate");
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->kind, WindowRule::Kind::rate);
  EXPECT_EQ(row(rate->over.at(0).metric).name, "toy.done");
  EXPECT_EQ(row(rate->to).writers, "registry");
  const auto mean = rule_of("toy.mean_ttft");
  ASSERT_TRUE(mean);
  EXPECT_EQ(mean->kind, WindowRule::Kind::ratio);
  EXPECT_EQ(mean->over.at(0).part, WindowTerm::Part::sum);
  EXPECT_EQ(mean->under.at(0).part, WindowTerm::Part::count);
}

TEST(Table, NamesBetrayTheRelease) {
  const auto table = parse_table(kSmall, "toy.yaml");
  ASSERT_TRUE(table);
  const auto betrayed = [&](std::vector<std::string_view> names) {
    const VersionSpan span = betrayed_version(*table, names);
    return span.since + ".." + span.until;
  };
  EXPECT_EQ(betrayed({"toy:old_ms"}), "..1.2.0");
  EXPECT_EQ(betrayed({"toy:new_ms"}), "1.1.0..");
  EXPECT_EQ(betrayed({"toy:new_ms", "toy:load"}), "1.3.0rc1..1.9.0");
  EXPECT_EQ(betrayed({"toy:load", "toy:old_ms", "toy:new_ms"}), "1.3.0rc1..1.2.0")
      << "no release has all of them";
  EXPECT_EQ(betrayed({"toy:running"}), "..");
}

TEST(Release, FollowsAnother) {
  const auto before = [](std::string_view a, std::string_view b) {
    return compare_releases(a, b) < 0 && compare_releases(b, a) > 0;
  };
  EXPECT_TRUE(before("0.9.2", "0.10.0"));
  EXPECT_TRUE(before("v0.6.6", "0.6.6.post1"));
  EXPECT_TRUE(before("0.6.6.post1", "0.6.7"));
  EXPECT_TRUE(before("0.28.0rc1", "0.28.0"));
  EXPECT_TRUE(before("0.28.0rc1", "0.28.0rc2"));
  EXPECT_TRUE(before("0.27.9", "0.28.0rc1"));
  EXPECT_TRUE(before("b5440", "b10001"));
  EXPECT_EQ(compare_releases("1.2", "v1.2.0"), std::weak_ordering::equivalent);
  EXPECT_EQ(compare_releases("", "?"), std::weak_ordering::equivalent);
  EXPECT_TRUE(before("1", "99999999999999999999999"));
}

std::string mistake(std::string_view yaml) {
  const auto table = parse_table(yaml, "mine.yaml");
  return table ? "none" : describe(table.error());
}

TEST(Table, MistakesHaveTheirFileAndLineAndSayWhatToDo) {
  EXPECT_EQ(mistake("name: mine\npotrs: [1]\n"),
            "mine.yaml:2: unknown key \"potrs\"; did you mean \"ports\"?");
  EXPECT_EQ(mistake("name: mine\nports: [0]\n"),
            "mine.yaml:2: \"ports\" is not a list of ports, 1 to 65535; give a list of ports, 1 to "
            "65535");
  EXPECT_THAT(mistake("name: mine\nname: yours\n"),
              StartsWith("mine.yaml:2: \"name\" stands here"));
  EXPECT_THAT(mistake("name: mine\nversions: { a: 1.., b: .., a: .. }\n"),
              StartsWith("mine.yaml:2: \"a\" stands here twice"));
  EXPECT_THAT(mistake("title: x\n"), HasSubstr("is no name for a table"));
  EXPECT_THAT(mistake("name: Mine!\n"), HasSubstr("\"Mine!\" is no name for a table"));
  EXPECT_THAT(mistake("name: mine\nrole: gatway\n"),
              StartsWith("mine.yaml:2: unknown role \"gatway\"; did you mean \"gateway\"?"));
  EXPECT_THAT(mistake("name: [\n"), StartsWith("mine.yaml:"));
  EXPECT_THAT(mistake(""), HasSubstr("expected a map"));
  EXPECT_THAT(mistake("name: mine\nlabels:\n  - { from: a, to: b }\n  - { from: a, to: c }\n"),
              StartsWith("mine.yaml:4: label \"a\" has a rule already"));
  EXPECT_THAT(mistake("name: mine\nlabels:\n  - { from: a }\n"), HasSubstr("needs \"from\" and"));
  EXPECT_THAT(mistake("name: mine\nversions: { a: 1.0 }\n"), HasSubstr("is no span of releases"));
  EXPECT_THAT(mistake("name: " + std::string(201, 'a')), HasSubstr("longer than 200 characters"));
}

std::string metric_mistake(std::string_view metric) {
  return mistake(fmt::format("name: mine\nmetrics:\n  - {}\n", metric));
}

TEST(Table, MistakesInMetricsHaveTheirLine) {
  EXPECT_THAT(metric_mistake("{ own: mine.x }"),
              StartsWith("mine.yaml:3: a metric needs \"from\""));
  EXPECT_THAT(metric_mistake("{ from: [x] }"), HasSubstr("add from, and own or common"));
  EXPECT_EQ(metric_mistake("{ from: [x], common: llm.requests.runing }"),
            "mine.yaml:3: \"llm.requests.runing\" is no common metric; did you mean "
            "\"llm.requests.running\"?");
  EXPECT_THAT(metric_mistake("{ from: [x], common: gpu.utilization }"),
              HasSubstr("is no common metric"))
      << "the table is about models";
  EXPECT_THAT(metric_mistake("{ from: [x], common: llm.ttft, kind: gauge }"),
              HasSubstr("llm.ttft is a histogram in \"s\"; leave kind and unit out"));
  EXPECT_THAT(metric_mistake("{ from: [x], common: llm.ttft, unit: ms }"),
              HasSubstr("llm.ttft is a histogram in \"s\""));
  EXPECT_THAT(metric_mistake("{ from: [x], own: mine.x }"), HasSubstr("\"mine.x\" has no kind"));
  EXPECT_THAT(metric_mistake("{ from: [x], own: mine.x, kind: gauge }"), HasSubstr("has no unit"));
  EXPECT_THAT(metric_mistake("{ from: [x], own: mine.x, kind: gauge, unit: s }"),
              HasSubstr("has no meaning; add about"));
  EXPECT_THAT(metric_mistake("{ from: [x], own: llm.up, kind: gauge, unit: '{bool}', about: m }"),
              HasSubstr("\"llm.up\" is a built-in metric"));
  EXPECT_THAT(metric_mistake("{ from: [x], own: Mine, kind: gauge, unit: s, about: m }"),
              HasSubstr("is no metric's name"));
  EXPECT_THAT(metric_mistake("{ from: [x], common: llm.ttft, scale: much }"),
              HasSubstr("\"scale\" is not a number"));
  EXPECT_THAT(mistake("name: mine\nkey_names: [mine.x]\n"), HasSubstr("unknown metric \"mine.x\""));
}

TEST(Table, MistakesInWindowsHaveTheirLine) {
  const auto window = [](std::string_view text) {
    return mistake(fmt::format("name: mine\nwindows:\n  - {}\n", text));
  };
  EXPECT_THAT(window("{ to: llm.prefix_cache.hits }"), StartsWith("mine.yaml:3: a window value"));
  EXPECT_THAT(window("{ to: llm.prefix_cache.hits, ratio: { over: [llm.tokens.prompt] } }"),
              HasSubstr("a window value needs"));
  EXPECT_THAT(window("{ to: llm.prompt.throughput, rate: [mine.nothing] }"),
              HasSubstr("there is no counter \"mine.nothing\""));
  EXPECT_THAT(window("{ to: llm.prompt.throughput, rate: [llm.ttft] }"),
              HasSubstr("there is no counter \"llm.ttft\""));
  EXPECT_THAT(window("{ to: llm.prompt.throughput, rate: ['llm.tokens.prompt:sum'] }"),
              HasSubstr("there is no histogram \"llm.tokens.prompt\""));
  EXPECT_THAT(window("{ to: llm.prompt.throughput, rate: ['llm.ttft:middle'] }"),
              HasSubstr("end it in :sum or :count"));
  EXPECT_THAT(window("{ to: llm.ttft, rate: [llm.tokens.prompt] }"), HasSubstr("is no gauge"));
  EXPECT_THAT(window("{ to: mine.rate, rate: [llm.tokens.prompt] }"), HasSubstr("has no unit"));
}

TEST(Table, AClashSaysWhatTheNameIsAlready) {
  ASSERT_TRUE(parse_table(kSmall, "toy.yaml"));
  const std::string said = metric_mistake(
      "{ from: [x], own: toy.ttft, kind: gauge, unit: ms, about: time to first token }");
  EXPECT_THAT(said, StartsWith("mine.yaml:3: toy.ttft is a histogram in \"s\" already, not a gauge "
                               "in \"ms\"; give it another name"));
}

TEST(Table, AMistakeDeclaresNothing) {
  EXPECT_THAT(mistake("name: mine\nmetrics:\n"
                      "  - { from: [x], own: mine.early, kind: gauge, unit: s, about: m }\n"
                      "  - { from: [x], common: llm.nothing }\n"),
              StartsWith("mine.yaml:4:"));
  EXPECT_EQ(find_metric("mine.early"), std::nullopt);
}

TEST(Table, IsBounded) {
  std::string yaml = "name: mine\nmetrics:\n";
  for (int i = 0; i < 2001; ++i) yaml += "  - { from: [x], common: llm.ttft }\n";
  EXPECT_THAT(mistake(yaml), HasSubstr("has more than 2000 rows"));
  EXPECT_THAT(mistake("name: mine\n#" + std::string(1 << 20, 'x')), HasSubstr("larger than"));
}

class UserTables : public ::testing::Test {
 protected:
  ~UserTables() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, std::string_view text) {
    std::filesystem::create_directories(folder_);
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

 private:
  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(UserTables, AddAnEngine) {
  const std::string files[] = {file("toy.yaml", kSmall)};
  const auto tables = EngineTables::load(files);
  ASSERT_TRUE(tables) << describe(tables.error());
  ASSERT_NE(tables->find("toy"), nullptr);
  EXPECT_EQ(tables->find("toy")->title, "Toy server");
  EXPECT_NE(tables->find("vllm"), nullptr);
  EXPECT_EQ(tables->find("nothing"), nullptr);
}

TEST_F(UserTables, ReplaceABuiltInOne) {
  const std::string files[] = {file("other.yaml", "name: vllm\ntitle: Mine\nports: [1234]\n")};
  const auto tables = EngineTables::load(files);
  ASSERT_TRUE(tables) << describe(tables.error());
  EXPECT_EQ(tables->find("vllm")->title, "Mine");
  EXPECT_THAT(tables->find("vllm")->metrics, IsEmpty());
  EXPECT_EQ(std::ranges::count(tables->all(), "vllm", &EngineTable::name), 1);
}

TEST_F(UserTables, WithAMistakeAreRefusedByName) {
  const std::string files[] = {file("bad.yaml", "name: bad\nmetrcs: []\n")};
  const auto tables = EngineTables::load(files);
  ASSERT_FALSE(tables);
  EXPECT_THAT(describe(tables.error()),
              HasSubstr("bad.yaml:2: unknown key \"metrcs\"; did you mean \"metrics\"?"));
}

TEST_F(UserTables, OfOneNameAreRefused) {
  const std::string files[] = {file("a.yaml", "name: mine\n"), file("b.yaml", "name: mine\n")};
  const auto tables = EngineTables::load(files);
  ASSERT_FALSE(tables);
  EXPECT_THAT(describe(tables.error()), HasSubstr("there are two tables named \"mine\""));
}

TEST_F(UserTables, ThatAreNotThereAreNamed) {
  const std::string files[] = {"/nonexistent/table.yaml"};
  const auto tables = EngineTables::load(files);
  ASSERT_FALSE(tables);
  EXPECT_THAT(describe(tables.error()), HasSubstr("/nonexistent/table.yaml"));
}

}  // namespace
}  // namespace warpsight::engines
