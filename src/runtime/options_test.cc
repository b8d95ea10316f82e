#include "runtime/options.h"

#include <gtest/gtest.h>

#include <array>

namespace warpsight {
namespace {

using namespace std::chrono_literals;

constexpr std::array kTable = {
    OptionDef{"enabled", OptionType::boolean, "true", "whether it runs"},
    OptionDef{"count", OptionType::integer, "4", "how many", "1..64"},
    OptionDef{"share", OptionType::number, "0.5", "how much", "0..1"},
    OptionDef{"period", OptionType::duration, "10s", "how often", "100ms..1h"},
    OptionDef{"buffer", OptionType::size, "64KiB", "how large", "4KiB.."},
    OptionDef{"path", OptionType::text, "/dev/null", "where"},
    OptionDef{"token", OptionType::secret, "", "what only we know"},
    OptionDef{"mode", OptionType::choice, "auto", "how", "auto|fast|slow"},
    OptionDef{"names", OptionType::list, "a,b", "which"},
    OptionDef{"parts", OptionType::list, "", "which parts", "cpu|disk|network"},
    OptionDef{"labels", OptionType::map, "", "marks"},
    OptionDef{"expected", OptionType::integer, "", "how many there should be; empty: unknown"},
};

Options defaults() { return Options::defaults(kTable); }

std::string error_of(std::string_view name, std::string_view text) {
  Options options = defaults();
  const auto result = options.set(name, text);
  EXPECT_FALSE(result) << name << " took " << text;
  EXPECT_EQ(options, defaults()) << "a refused value must change nothing";
  return result ? "" : describe(result.error());
}

TEST(Options, DefaultsAreTheTables) {
  const Options options = defaults();
  EXPECT_TRUE(options.flag("enabled"));
  EXPECT_EQ(options.integer("count"), 4);
  EXPECT_EQ(options.number("share"), 0.5);
  EXPECT_EQ(options.duration("period"), Duration{10s});
  EXPECT_EQ(options.size("buffer"), 65536U);
  EXPECT_EQ(options.text("path"), "/dev/null");
  EXPECT_EQ(options.secret("token"), "");
  EXPECT_EQ(options.text("mode"), "auto");
  EXPECT_EQ(options.list("names"), (Options::List{"a", "b"}));
  EXPECT_TRUE(options.map("labels").empty());
  EXPECT_FALSE(options.given("count"));
}

TEST(Options, TakesWhatIsValid) {
  Options options = defaults();
  ASSERT_TRUE(options.set("enabled", "off"));
  ASSERT_TRUE(options.set("count", "64"));
  ASSERT_TRUE(options.set("share", "1"));
  ASSERT_TRUE(options.set("period", "100ms"));
  ASSERT_TRUE(options.set("buffer", "10MB"));
  ASSERT_TRUE(options.set("path", ""));
  ASSERT_TRUE(options.set("labels", "site=ulm, rack=7"));
  ASSERT_TRUE(options.set("names", ""));
  ASSERT_TRUE(options.set_list("parts", {"cpu", "disk"}));
  EXPECT_FALSE(options.flag("enabled"));
  EXPECT_EQ(options.integer("count"), 64);
  EXPECT_EQ(options.duration("period"), Duration{100ms});
  EXPECT_EQ(options.text("path"), "");
  EXPECT_EQ(options.map("labels"), (Options::Map{{"site", "ulm"}, {"rack", "7"}}));
  EXPECT_TRUE(options.list("names").empty());
  EXPECT_EQ(options.list("parts"), (Options::List{"cpu", "disk"}));
  EXPECT_TRUE(options.given("count"));
}

TEST(Options, ErrorsSayWhatWouldBeRight) {
  EXPECT_EQ(error_of("count", "65"), "expected a whole number in 1..64, not \"65\"");
  EXPECT_EQ(error_of("count", "4.5"), "expected a whole number in 1..64, not \"4.5\"");
  EXPECT_EQ(error_of("period", "50ms"),
            "expected a duration such as 250ms, 10s, 5m or 1h in 100ms..1h, not \"50ms\"");
  EXPECT_EQ(error_of("buffer", "1KiB"),
            "expected a size such as 64KiB or 10MB in 4KiB.., not \"1KiB\"");
  EXPECT_EQ(error_of("mode", "fsat"),
            "expected one of auto, fast, slow, not \"fsat\"; did you mean \"fast\"?");
  EXPECT_EQ(error_of("parts", "cpu,disc"),
            "expected a list of cpu, disk, network, not \"disc\"; did you mean \"disk\"?");
  EXPECT_EQ(error_of("enabled", "maybe"), "expected true or false, not \"maybe\"");
  EXPECT_EQ(error_of("share", "nan"), "expected a number in 0..1, not \"nan\"");
  EXPECT_EQ(error_of("labels", "novalue"), "expected a map of names to texts, not \"novalue\"");
  EXPECT_EQ(error_of("perido", "1s"), "unknown key \"perido\"; did you mean \"period\"?");
  EXPECT_LT(error_of("count", std::string(10'000, '9')).size(), 200U);
}

TEST(Options, AListOrMapWhereNoneBelongsIsAnError) {
  Options options = defaults();
  EXPECT_EQ(options.set_list("count", {"1"}).error().message,
            "expected a whole number in 1..64, not a list");
  EXPECT_EQ(options.set_map("names", {}).error().message, "expected a list, not a map");
}

TEST(Options, SecretsAreNeverShown) {
  Options options = defaults();
  EXPECT_EQ(options.display("token"), "");
  ASSERT_TRUE(options.set("token", "hunter2"));
  EXPECT_EQ(options.secret("token"), "hunter2");
  EXPECT_EQ(options.display("token"), "(hidden)");
  const auto wrong = options.set_list("token", {"hunter2"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(describe(wrong.error()).find("hunter2"), std::string::npos);
}

TEST(Options, EmptyMeansNotGivenWhereTheDefaultIsEmpty) {
  Options options = defaults();
  ASSERT_TRUE(options.set("expected", "8"));
  EXPECT_TRUE(options.given("expected"));
  ASSERT_TRUE(options.set("expected", ""));
  EXPECT_FALSE(options.given("expected"));
  EXPECT_FALSE(options.set("count", ""));
}

TEST(Options, CompareByValueAlone) {
  Options options = defaults();
  ASSERT_TRUE(options.set("period", "10000ms"));
  EXPECT_EQ(options, defaults());
  ASSERT_TRUE(options.set("period", "11s"));
  EXPECT_FALSE(options == defaults());
}

TEST(Options, DisplayReadsBack) {
  for (const OptionDef& def : kTable) {
    Options options = defaults();
    EXPECT_TRUE(def.type == OptionType::secret || options.set(def.name, options.display(def.name)));
    EXPECT_EQ(options, defaults()) << def.name;
  }
}

TEST(OptionsDeathTest, AskingForWhatIsNotDeclaredAborts) {
  const Options options = defaults();
  EXPECT_DEATH((void)options.integer("nonsense"), "nonsense.*not declared");
  EXPECT_DEATH((void)options.integer("period"), "declared as duration, not integer");
  EXPECT_DEATH((void)options.text("token"), "declared as secret, not text");
}

TEST(OptionsDeathTest, ADefaultThatItsOwnRangeRefusesAborts) {
  static constexpr std::array kBad = {OptionDef{"n", OptionType::integer, "0", "", "1..2"}};
  EXPECT_DEATH((void)Options::defaults(kBad), "expected a whole number");
}

}  // namespace
}  // namespace warpsight
