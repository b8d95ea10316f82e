// A declarative command line. Verbs and their flags are constexpr tables; parsing, help, errors
// with suggestions and shell completions all come from them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace warpsight {

class Arguments;

struct Flag {
  std::string_view name;  // without dashes
  char short_name = '\0';
  // What --help calls the value; empty: the flag takes none. "FILE" and "DIR" are completed as
  // paths, "text|json" as these words.
  std::string_view argument = {};
  std::string_view help = {};
};

// What stands after the flags. `usage` is shown as it is, "[VERB]"; choices are completed.
struct Positional {
  std::string_view usage = {};
  std::size_t min = 0;
  std::size_t max = 0;
  std::string_view choices = {};  // "bash|zsh|fish"; other words are then errors
  std::string_view help = {};
};

struct Example {
  std::string_view command;
  std::string_view meaning;
};

struct Verb {
  std::string_view name;
  std::string_view summary;      // one line, for the list of verbs
  std::string_view description;  // paragraphs divided by "\n\n"; re-wrapped
  std::span<const Flag> flags = {};
  Positional positional = {};
  std::span<const Example> examples = {};
  int (*run)(const Arguments& arguments) = nullptr;
  bool hidden = false;  // for the program's own use: not listed, not completed
};

struct Program {
  std::string_view name;
  std::string_view summary;
  std::string_view version;
  std::span<const Verb> verbs;
  std::span<const Example> examples = {};
};

// What a verb was called with; asking for a flag it does not declare aborts.
class Arguments {
 public:
  Arguments(const Program& program, const Verb& verb) : program_(&program), verb_(&verb) {}

  bool has(std::string_view flag) const;
  // The last value given, or `fallback`.
  std::string value(std::string_view flag, std::string_view fallback = {}) const;
  // Every value given, in order.
  std::vector<std::string> values(std::string_view flag) const;
  const std::vector<std::string>& positional() const { return positional_; }

  const Program& program() const { return *program_; }
  const Verb& verb() const { return *verb_; }

 private:
  friend Result<Arguments> parse_arguments(const Program&, const Verb&,
                                           std::span<const std::string>);
  void check_declared(std::string_view flag) const;

  const Program* program_;
  const Verb* verb_;
  std::vector<std::pair<std::string_view, std::string>> flags_;
  std::vector<std::string> positional_;
};

const Verb* find_verb(const Program& program, std::string_view name);

// `words` are what follows the verb's name. Not for concurrent use: getopt keeps global state.
Result<Arguments> parse_arguments(const Program& program, const Verb& verb,
                                  std::span<const std::string> words);

// Runs what the command line asks for, --help and --version included, and returns the exit code.
int run_program(const Program& program, int argc, const char* const* argv);

// `warpsight help [VERB]`, to be put in the program's table.
int run_help(const Arguments& arguments);
inline constexpr Verb kHelpVerb{
    .name = "help",
    .summary = "Explain the program or one of its verbs",
    .description = "Shows the same as --help.",
    .positional = {.usage = "[VERB]", .min = 0, .max = 1, .help = "the verb to explain"},
    .run = run_help,
};

}  // namespace warpsight
