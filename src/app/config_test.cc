#include "app/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/agent_options.h"
#include "platform/test_dir.h"

namespace warpsight {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::array kNvml = {
    OptionDef{"enabled", OptionType::boolean, "true", "whether GPUs are read"},
    OptionDef{"period", OptionType::duration, "1s", "how often", "100ms..1h"},
    OptionDef{"parts", OptionType::list, "", "which", "power|clocks"},
};
constexpr std::array kFile = {
    OptionDef{"enabled", OptionType::boolean, "false", "whether lines are written"},
    OptionDef{"path", OptionType::text, "", "where"},
    OptionDef{"token", OptionType::secret, "", "what authorises"},
    OptionDef{"headers", OptionType::secret_map, "", "what else is sent"},
    OptionDef{"rotate.size", OptionType::size, "64MiB", "when to rotate", "1MiB.."},
    OptionDef{"rotate.keep", OptionType::integer, "5", "how many old ones", "0..100"},
};
constexpr std::array kFixed = {OptionDef{"path", OptionType::text, "", "where"}};
constexpr std::array kSources = {SectionDef{"nvml", "NVIDIA GPUs", kNvml},
                                 SectionDef{"fixed", "always on", kFixed}};
constexpr std::array kSinks = {SectionDef{"file", "JSON lines", kFile, true},
                               SectionDef{"page", "a page", kFixed}};

ConfigSchema schema() { return {.agent = agent_options(), .sources = kSources, .sinks = kSinks}; }

ConfigInputs inputs() {
  return {.variable = [](const std::string& name) -> std::optional<std::string> {
            if (name == "TOKEN") return "hunter2";
            if (name == "EMPTY") return "";
            return std::nullopt;
          },
          .secret_file = [](const std::string& path) -> Result<std::string> {
            if (path == "/run/token") return "hunter3";
            return fail("cannot open " + path);
          }};
}

LoadedConfig parse(std::string_view text) {
  return parse_config(text, "w.yaml", schema(), inputs());
}

std::vector<std::string> errors_of(std::string_view text) {
  std::vector<std::string> out;
  for (const auto& error : parse(text).errors) out.push_back(to_string(error));
  return out;
}

const Options& sink_file(const LoadedConfig& loaded) { return loaded.config.sinks[0].options; }

TEST(Config, AnEmptyFileIsTheDefaults) {
  for (const char* text : {"", "# only a comment\n", "---\n", "sources:\nsinks:\nlog:\n"}) {
    const LoadedConfig loaded = parse(text);
    EXPECT_TRUE(loaded.ok()) << text;
    EXPECT_EQ(loaded.config, default_config(schema()));
  }
  const Config config = default_config(schema());
  EXPECT_EQ(config.agent.duration("publish_interval"), Duration{10s});
  EXPECT_EQ(config.agent.text("listen"), "127.0.0.1:9465");
}

TEST(Config, TakesAgentSourcesAndSinks) {
  const LoadedConfig loaded = parse(
      "publish_interval: 5s\n"
      "listen: \"\"\n"
      "log: {level: debug, format: json}\n"
      "limits:\n  events: 10\n"
      "attributes: {site: ulm, rack: '7'}\n"
      "sources:\n  nvml: {period: 250ms, parts: [power, clocks]}\n"
      "sinks:\n  file:\n    enabled: yes\n    path: /var/log/w.jsonl\n    rotate: {size: 10MB}\n");
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.errors[0]);
  const Options& agent = loaded.config.agent;
  EXPECT_EQ(agent.duration("publish_interval"), Duration{5s});
  EXPECT_EQ(agent.text("listen"), "");
  EXPECT_EQ(agent.text("log.level"), "debug");
  EXPECT_EQ(agent.integer("limits.events"), 10);
  EXPECT_EQ(agent.map("attributes"), (Options::Map{{"site", "ulm"}, {"rack", "7"}}));
  EXPECT_EQ(loaded.config.sources[0].options.duration("period"), Duration{250ms});
  EXPECT_EQ(loaded.config.sources[0].options.list("parts"), (Options::List{"power", "clocks"}));
  EXPECT_TRUE(sink_file(loaded).flag("enabled"));
  EXPECT_EQ(sink_file(loaded).size("rotate.size"), 10'000'000U);
  EXPECT_EQ(sink_file(loaded).integer("rotate.keep"), 5);
}

TEST(Config, AScalarSwitchesASectionOnOrOff) {
  EXPECT_FALSE(parse("sources: {nvml: false}").config.sources[0].options.flag("enabled"));
  EXPECT_TRUE(sink_file(parse("sinks: {file: true}")).flag("enabled"));
  EXPECT_THAT(errors_of("sources: {fixed: false}"),
              ElementsAre("w.yaml:1:18: sources.fixed cannot be switched on and off; "
                          "write its keys below it"));
}

TEST(Config, ASinkThatIsGivenKeysIsOnUnlessTheySayOtherwise) {
  EXPECT_TRUE(sink_file(parse("sinks: {file: {path: /x}}")).flag("enabled"));
  EXPECT_FALSE(sink_file(parse("sinks: {file: {path: /x, enabled: false}}")).flag("enabled"));
  EXPECT_FALSE(sink_file(parse("sinks: {page: {path: /x}}")).flag("enabled"));
}

TEST(Config, SeveralSinksOfAKindHaveNames) {
  const LoadedConfig loaded = parse(
      "sinks:\n  file/second: {path: /2}\n  file: {path: /1}\n  file/third: {enabled: false}\n");
  ASSERT_TRUE(loaded.ok());
  const auto& sinks = loaded.config.sinks;
  ASSERT_EQ(sinks.size(), 4U);
  EXPECT_EQ(sinks[0].options.text("path"), "/1");
  EXPECT_EQ(sinks[2].name, "file/second");
  EXPECT_EQ(sinks[2].type(), "file");
  EXPECT_EQ(sinks[2].options.text("path"), "/2");
  EXPECT_TRUE(sinks[2].options.flag("enabled"));
  EXPECT_FALSE(sinks[3].options.flag("enabled"));
}

TEST(Config, ABadNameOfAFurtherSinkIsAnError) {
  EXPECT_THAT(errors_of("sinks: {file/../etc: {path: /x}}"),
              ElementsAre(HasSubstr("\"file/../etc\" is no name for a sink")));
  EXPECT_THAT(errors_of("sinks: {page/two: {path: /x}}"),
              ElementsAre(HasSubstr("there can be only one page")));
  EXPECT_THAT(errors_of("sinks: {flie/two: {path: /x}}"),
              ElementsAre(HasSubstr("unknown sink \"flie/two\"")));
}

TEST(Config, AMapOfSecretsTakesFilesAndVariablesAndShowsNone) {
  const LoadedConfig loaded =
      parse("sinks: {file: {headers: {x-key: 'file:/run/token', x-env: '${TOKEN}'}}}");
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded.warnings.empty());
  EXPECT_THAT(sink_file(loaded).secret_map("headers"),
              ElementsAre(testing::Pair("x-key", "hunter3"), testing::Pair("x-env", "hunter2")));
  EXPECT_EQ(sink_file(loaded).display("headers"), "x-key=(hidden),x-env=(hidden)");
  const LoadedConfig plain = parse("sinks: {file: {headers: {x-key: hunter4}}}");
  ASSERT_EQ(plain.warnings.size(), 1U);
  EXPECT_THAT(to_string(plain.warnings[0]), Not(HasSubstr("hunter4")));
}

TEST(Config, UnknownKeysAreErrorsWithPlaceAndTheNearestKey) {
  EXPECT_THAT(
      errors_of("publish_intervall: 5s\n"
                "log:\n  levle: info\n"
                "level: info\n"
                "sorces: {}\n"
                "sources:\n  nvlm: {}\n  nvml: {perid: 1s}\n"
                "sinks:\n  kafka: {}\n  file: {rotate: {sise: 1}}\n"),
      ElementsAre(
          "w.yaml:1:1: unknown key \"publish_intervall\"; did you mean \"publish_interval\"?",
          "w.yaml:3:3: unknown key \"log.levle\"; did you mean \"level\"?",
          "w.yaml:4:1: unknown key \"level\"; did you mean \"log.level\"?",
          "w.yaml:5:1: unknown key \"sorces\"; did you mean \"sources\"?",
          "w.yaml:7:3: unknown source \"nvlm\"; did you mean \"nvml\"?",
          "w.yaml:8:10: unknown key \"sources.nvml.perid\"; did you mean \"period\"?",
          "w.yaml:10:3: unknown sink \"kafka\"; known are: file, page",
          "w.yaml:11:19: unknown key \"sinks.file.rotate.sise\"; did you mean \"size\"?"));
}

TEST(Config, WrongValuesAreErrorsWithPlace) {
  EXPECT_THAT(
      errors_of("publish_interval: 5\n"
                "listen: {port: 1}\n"
                "log: debug\n"
                "attributes: [a]\n"
                "state_dir:\n"
                "root: host\n"
                "sources: {nvml: {parts: [fans], period: [1s]}}\n"),
      ElementsAre(
          "w.yaml:1:19: publish_interval: expected a duration such as 250ms, 10s, 5m or 1h in "
          "100ms..10m, not \"5\"",
          "w.yaml:2:9: listen: expected a text, not a map",
          "w.yaml:3:6: log must be a map of keys, not a single value",
          "w.yaml:4:13: attributes: expected a map of names to texts, not a list",
          StartsWith("w.yaml:5:1: \"state_dir\" has no value"),
          "w.yaml:6:7: root: expected an absolute path; begin it with /",
          "w.yaml:7:25: parts: expected a list of power, clocks, not \"fans\"",
          StartsWith("w.yaml:7:41: period: expected a duration")));
  EXPECT_THAT(errors_of("listen: nonsense"), ElementsAre(HasSubstr("is not an address")));
  EXPECT_THAT(errors_of("- a\n- b\n"), ElementsAre(HasSubstr("must be a map of keys")));
}

TEST(Config, RepeatedKeysAreErrors) {
  EXPECT_THAT(errors_of("listen: ':1'\nroot: /\nlisten: ':2'\n"),
              ElementsAre("w.yaml:3:1: duplicate key \"listen\"; keep one of them"));
  EXPECT_THAT(errors_of("log: {level: info, level: warn}\n"),
              ElementsAre(HasSubstr("duplicate key \"level\"")));
  EXPECT_THAT(errors_of("log.level: info\nlog: {level: warn}\n"),
              ElementsAre("w.yaml:2:7: \"log.level\" is given twice; keep one of them"));
}

TEST(Config, ErrorsAreCollectedUpToABound) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "nonsense_" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(parse(text).errors.size(), kMaxConfigErrors);
}

TEST(Config, BrokenYamlIsOneErrorWithItsPlace) {
  EXPECT_THAT(errors_of("listen: 'unclosed\n"), ElementsAre(HasSubstr("not valid YAML")));
  EXPECT_THAT(errors_of("host_name: \"a\nroot: /\n\n"), ElementsAre(HasSubstr("not valid YAML")));
  EXPECT_THAT(errors_of("log: {level: info\nroot: ["), ElementsAre(StartsWith("w.yaml:")));
  EXPECT_THAT(errors_of("listen: *nobody\n"), ElementsAre(HasSubstr("not valid YAML")));
}

TEST(Config, VariablesAreFilledInAnywhereInAValue) {
  const LoadedConfig loaded = parse(
      "host_name: node-${ID:-7}\n"
      "state_dir: /var/${EMPTY:-lib}/w\n"
      "attributes: {literal: '$${TOKEN}', cost: $5}\n");
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.errors[0]);
  EXPECT_EQ(loaded.config.agent.text("host_name"), "node-7");
  EXPECT_EQ(loaded.config.agent.text("state_dir"), "/var/lib/w");
  EXPECT_EQ(loaded.config.agent.map("attributes")[0].second, "${TOKEN}");
  EXPECT_EQ(loaded.config.agent.map("attributes")[1].second, "$5");
  EXPECT_THAT(errors_of("host_name: ${NOBODY}"),
              ElementsAre("w.yaml:1:12: the environment variable NOBODY is not set; "
                          "set it, or write ${NOBODY:-default}"));
  for (const char* text :
       {"host_name: '${'", "host_name: '${}'", "host_name: '${a b}'", "host_name: '${A:-${B}}'"}) {
    EXPECT_EQ(errors_of(text).size(), 1U) << text;
  }
}

TEST(Config, SecretsComeFromFilesAndVariables) {
  const LoadedConfig by_file = parse("sinks: {file: {token: 'file:/run/token'}}");
  EXPECT_EQ(sink_file(by_file).secret("token"), "hunter3");
  const LoadedConfig by_variable = parse("sinks: {file: {token: '${TOKEN}'}}");
  EXPECT_EQ(sink_file(by_variable).secret("token"), "hunter2");
  EXPECT_TRUE(by_file.warnings.empty() && by_variable.warnings.empty());
  EXPECT_THAT(errors_of("sinks: {file: {token: 'file:/none'}}"),
              ElementsAre("w.yaml:1:23: cannot open /none"));
}

TEST(Config, ALiteralSecretIsTakenWithAWarning) {
  const LoadedConfig loaded = parse("sinks: {file: {token: hunter4}}");
  EXPECT_TRUE(loaded.ok());
  EXPECT_EQ(sink_file(loaded).secret("token"), "hunter4");
  ASSERT_EQ(loaded.warnings.size(), 1U);
  EXPECT_THAT(to_string(loaded.warnings[0]), Not(HasSubstr("hunter4")));
}

TEST(Config, NoMessageCarriesASecret) {
  for (const char* text :
       {"sinks: {file: {token: [hunter2]}}", "sinks: {file: {token: {a: hunter2}}}",
        "publish_interval: ${TOKEN}", "sources: {nvml: '${TOKEN}'}", "listen: ${TOKEN}",
        "sources: {nvml: {parts: ['${TOKEN}']}}"}) {
    const auto errors = errors_of(text);
    ASSERT_EQ(errors.size(), 1U) << text;
    EXPECT_THAT(errors[0], Not(HasSubstr("hunter2")));
  }
  EXPECT_EQ(sink_file(parse("sinks: {file: {token: '${TOKEN}'}}")).display("token"), "(hidden)");
}

TEST(Config, TellsWhichSectionChanged) {
  const Config before = parse("sinks: {file: {path: /a}}").config;
  const Config after = parse("sinks: {file: {path: /b}}").config;
  EXPECT_EQ(before.sources, after.sources);
  EXPECT_FALSE(before.sinks == after.sinks);
}

TEST(Config, LoadsAFileAndNamesOneThatIsMissing) {
  const TestDir dir;
  const std::string path = dir.write("w.yaml", "publish_interval: 2s\n");
  EXPECT_EQ(load_config(path, schema()).config.agent.duration("publish_interval"), Duration{2s});
  const LoadedConfig missing = load_config(dir.path() + "/none.yaml", schema());
  ASSERT_EQ(missing.errors.size(), 1U);
  EXPECT_THAT(to_string(missing.errors[0]), HasSubstr("none.yaml"));
  EXPECT_FALSE(load_config(dir.write("big", std::string(2 << 20, '#')), schema()).ok());
}

TEST(ConfigSchema, TheExampleWithItsCommentsRemovedIsTheDefaults) {
  std::string text = example(schema());
  EXPECT_EQ(parse(text).config, default_config(schema()));
  std::string active;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    EXPECT_EQ(text[at], '#');
    active += text.substr(at + 1, end - at);
    at = end + 1;
  }
  const LoadedConfig loaded = parse(active);
  EXPECT_TRUE(loaded.ok()) << to_string(loaded.errors[0]) << "\n" << active;
  EXPECT_EQ(loaded.config, default_config(schema()));
  EXPECT_TRUE(loaded.config.agent.given("log.level"));
}

TEST(ConfigSchema, TheReferenceHasEveryKey) {
  const std::string text = reference(schema());
  EXPECT_THAT(text, HasSubstr("| `publish_interval` | duration | `10s` | `100ms..10m` |"));
  EXPECT_THAT(text,
              HasSubstr("| `log.level` | choice | `info` | `error`, `warn`, `info`, `debug` |"));
  EXPECT_THAT(text, HasSubstr("### nvml\n\nNVIDIA GPUs\n"));
  EXPECT_THAT(text, HasSubstr("| `rotate.keep` | integer | `5` | `0..100` |"));
}

}  // namespace
}  // namespace warpsight
