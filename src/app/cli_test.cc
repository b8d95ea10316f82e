#include "app/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "app/cli_completion.h"
#include "app/cli_help.h"
#include "app/exit_codes.h"
#include "platform/command.h"
#include "platform/test_dir.h"

namespace warpsight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

int run_run(const Arguments& arguments) { return arguments.has("once") ? 17 : kExitOk; }

int run_probe(const Arguments&) { return kExitOk; }

constexpr std::array kRunFlags = {
    Flag{"config", 'c', "FILE", "the configuration file"},
    Flag{"listen", '\0', "ADDR:PORT", "where the page is served, over the configured place"},
    Flag{"log-format", '\0', "text|json", "how lines are logged"},
    Flag{"once", '1', "", "one tick to standard output, then exit"},
};
constexpr std::array kRunExamples = {Example{"warpsight run --once", "one look at the node"}};
constexpr std::array kVerbs = {
    Verb{.name = "run",
         .summary = "Watch this node",
         .description = "Finds what is there and serves it.\n\nStops on SIGTERM.",
         .flags = kRunFlags,
         .examples = kRunExamples,
         .run = run_run},
    Verb{.name = "probe", .summary = "inner", .description = "", .run = run_probe, .hidden = true},
    kCompletionVerb,
    kHelpVerb,
};
constexpr Program kProgram{
    .name = "warpsight", .summary = "Sees a GPU node whole.", .version = "1.2.3", .verbs = kVerbs};

Result<Arguments> parse(std::vector<std::string> words) {
  return parse_arguments(kProgram, kVerbs[0], words);
}

struct Ran {
  int code;
  std::string out;
  std::string err;
};

Ran run(std::vector<const char*> words) {
  words.insert(words.begin(), "warpsight");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_program(kProgram, static_cast<int>(words.size()), words.data());
  std::fflush(stdout);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(Cli, ReadsFlagsInEveryUsualForm) {
  const auto arguments = parse({"--config", "a.yaml", "--listen=:1", "-1", "-cb.yaml"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->has("once"));
  EXPECT_FALSE(arguments->has("log-format"));
  EXPECT_EQ(arguments->value("listen"), ":1");
  EXPECT_EQ(arguments->value("config"), "b.yaml");
  EXPECT_THAT(arguments->values("config"), ElementsAre("a.yaml", "b.yaml"));
  EXPECT_EQ(arguments->value("log-format", "text"), "text");
}

TEST(Cli, WhatFollowsTwoDashesIsNoFlag) {
  const auto arguments = parse({"x", "--", "--once"});
  ASSERT_TRUE(arguments);
  EXPECT_FALSE(arguments->has("once"));
  EXPECT_THAT(arguments->positional(), ElementsAre("x", "--once"));
}

TEST(Cli, WrongFlagsAreToldWithTheNearest) {
  EXPECT_EQ(describe(parse({"--cofnig", "x"}).error()),
            "'run' has no flag --cofnig; did you mean --config?");
  EXPECT_EQ(describe(parse({"--once", "-x"}).error()), "'run' has no flag -x");
  EXPECT_EQ(describe(parse({"--config"}).error()), "--config needs a value");
  EXPECT_EQ(describe(parse({"--once=yes"}).error()), "--once takes no value");
}

TEST(Cli, RunsTheVerbAndReturnsItsCode) {
  EXPECT_EQ(run({"run", "--once"}).code, 17);
  EXPECT_EQ(run({"probe"}).code, kExitOk);
}

TEST(Cli, AWrongCommandLineIsAUsageErrorOnStderr) {
  const Ran verb = run({"rnu"});
  EXPECT_EQ(verb.code, kExitUsage);
  EXPECT_EQ(verb.err,
            "warpsight: there is no verb \"rnu\"; did you mean run?\nTry 'warpsight --help'.\n");
  EXPECT_EQ(run({}).code, kExitUsage);
  EXPECT_EQ(run({"run", "extra"}).err,
            "warpsight: 'run' does not take \"extra\"\nTry 'warpsight run --help'.\n");
  EXPECT_THAT(run({"--config", "x", "run"}).err, HasSubstr("stands before the verb"));
  EXPECT_EQ(run({"completion"}).code, kExitUsage);
  EXPECT_THAT(run({"completion", "tcsh"}).err, HasSubstr("expected one of bash, zsh, fish"));
}

TEST(Cli, HelpListsVerbsFlagsAndExitCodes) {
  const Ran help = run({"--help"});
  EXPECT_EQ(help.code, kExitOk);
  EXPECT_EQ(help.out, run({"help"}).out);
  EXPECT_THAT(help.out, HasSubstr("  run         Watch this node\n"));
  EXPECT_THAT(help.out, HasSubstr("  3  the configuration has errors\n"));
  EXPECT_THAT(help.out, Not(HasSubstr("probe")));
  EXPECT_EQ(run({"--version"}).out, "warpsight 1.2.3\n");

  const Ran verb = run({"run", "--help"});
  EXPECT_EQ(verb.out, run({"help", "run"}).out);
  EXPECT_EQ(verb.out, run({"run", "-h", "extra"}).out);
  EXPECT_THAT(verb.out, HasSubstr("Usage: warpsight run [FLAGS]\n"));
  EXPECT_THAT(verb.out, HasSubstr("  -c, --config FILE"));
  EXPECT_THAT(verb.out, HasSubstr("serves it.\n\nStops on SIGTERM.\n"));
  EXPECT_THAT(verb.out, HasSubstr("  warpsight run --once\n      one look at the node\n"));
}

TEST(Cli, HelpFitsAnEightyColumnTerminal) {
  for (const std::string& text : {program_help(kProgram), verb_help(kProgram, kVerbs[0])}) {
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      EXPECT_LE(end - at, 80U) << text.substr(at, end - at);
      at = end + 1;
    }
  }
  EXPECT_EQ(wrap("aaa bbb ccc\n\nddd", 2, 9), "aaa bbb\n  ccc\n\n  ddd");
}

// The words that bash offers for a command line ending in the last of `words`.
std::string completed(std::string_view words) {
  const TestDir dir;
  const std::string script = dir.write(
      "try.sh",
      bash_completion(kProgram) + "COMP_WORDS=(" + std::string(words) +
          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_warpsight\necho \"${COMPREPLY[*]}\"\n");
  const auto output = run_command({"bash", script}, std::chrono::seconds{30});
  return output ? output->output : describe(output.error());
}

TEST(Completion, BashOffersVerbsFlagsAndChoices) {
  EXPECT_EQ(completed("warpsight ''"), "run completion help --help --version\n");
  EXPECT_EQ(completed("warpsight run --l"), "--listen --log-format\n");
  EXPECT_EQ(completed("warpsight run --log-format ''"), "text json\n");
  EXPECT_EQ(completed("warpsight completion f"), "fish\n");
  EXPECT_EQ(completed("warpsight help r"), "run\n");
}

TEST(Completion, EveryShellKnowsEveryFlag) {
  for (const std::string& script : {zsh_completion(kProgram), fish_completion(kProgram)}) {
    for (const Flag& flag : kRunFlags) EXPECT_THAT(script, HasSubstr(std::string(flag.name)));
    EXPECT_THAT(script, HasSubstr("text json"));
    EXPECT_THAT(script, Not(HasSubstr("probe")));
  }
}

}  // namespace
}  // namespace warpsight
