#include "app/cli_completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "app/exit_codes.h"
#include "runtime/option_values.h"

namespace warpsight {
namespace {

using Out = std::back_insert_iterator<std::string>;

bool is_path(std::string_view argument) {
  return argument.find("FILE") != std::string_view::npos ||
         argument.find("DIR") != std::string_view::npos;
}

// The words of "text|json"; none for a placeholder such as "ADDR:PORT" or "NAME|FILE".
std::vector<std::string_view> words_of(std::string_view argument) {
  auto words = choices(argument);
  const bool lower = std::ranges::none_of(argument, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (words.size() < 2 || !lower) words.clear();
  return words;
}

std::vector<const Verb*> listed(const Program& program) {
  std::vector<const Verb*> verbs;
  for (const Verb& verb : program.verbs) {
    if (!verb.hidden) verbs.push_back(&verb);
  }
  return verbs;
}

std::string verb_names(const Program& program) {
  std::vector<std::string_view> names;
  for (const Verb* verb : listed(program)) names.push_back(verb->name);
  return fmt::format("{}", fmt::join(names, " "));
}

// What may follow a verb besides flags: its choices, or other verbs' names after `help`.
std::string positional_words(const Program& program, const Verb& verb) {
  if (verb.positional.usage == "[VERB]") return verb_names(program);
  return fmt::format("{}", fmt::join(choices(verb.positional.choices), " "));
}

std::string flag_words(const Verb& verb) {
  std::string out;
  for (const Flag& flag : verb.flags) out += fmt::format("--{} ", flag.name);
  return out + "--help";
}

// In single quotes for any of the three shells; zsh reads brackets and colons in specs.
std::string quoted(std::string_view text, bool zsh = false) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (zsh && (c == '[' || c == ']' || c == ':')) out += '\\';
    out += c;
  }
  return out;
}

void bash_verb(const Program& program, const Verb& verb, Out out) {
  fmt::format_to(out, "    {})\n      case \"$previous\" in\n", verb.name);
  for (const Flag& flag : verb.flags) {
    if (flag.argument.empty()) continue;
    const auto words = words_of(flag.argument);
    fmt::format_to(out, "        --{}", flag.name);
    if (flag.short_name != '\0') fmt::format_to(out, "|-{}", flag.short_name);
    if (!words.empty()) {
      fmt::format_to(out, ") COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                     fmt::join(words, " "));
    } else if (is_path(flag.argument)) {
      fmt::format_to(out, ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n");
    } else {
      fmt::format_to(out, ") return ;;\n");
    }
  }
  fmt::format_to(out, "      esac\n      words='{} {}'\n", flag_words(verb),
                 positional_words(program, verb));
  if (is_path(verb.positional.usage)) fmt::format_to(out, "      files=-f\n");
  fmt::format_to(out, "      ;;\n");
}

void zsh_verb(const Program& program, const Verb& verb, Out out) {
  fmt::format_to(out, "    {})\n      _arguments \\\n", verb.name);
  for (const Flag& flag : verb.flags) {
    fmt::format_to(out, "        '*--{}{}[{}]", flag.name, flag.argument.empty() ? "" : "=",
                   quoted(flag.help, true));
    if (!flag.argument.empty()) {
      fmt::format_to(out, ":{}:", quoted(flag.argument, true));
      const auto words = words_of(flag.argument);
      if (!words.empty()) fmt::format_to(out, "({})", fmt::join(words, " "));
      if (is_path(flag.argument)) fmt::format_to(out, "_files");
    }
    fmt::format_to(out, "' \\\n");
  }
  fmt::format_to(out, "        '--help[show the help text]'");
  const std::string words = positional_words(program, verb);
  if (!words.empty()) fmt::format_to(out, " \\\n        '*:argument:({})'", words);
  if (is_path(verb.positional.usage)) fmt::format_to(out, " \\\n        '*:file:_files'");
  fmt::format_to(out, "\n      ;;\n");
}

void fish_verb(const Program& program, const Verb& verb, Out out) {
  const std::string head =
      fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program.name, verb.name);
  for (const Flag& flag : verb.flags) {
    fmt::format_to(out, "{} -l {} -d '{}'", head, flag.name, quoted(flag.help));
    if (flag.short_name != '\0') fmt::format_to(out, " -s {}", flag.short_name);
    if (!flag.argument.empty())
      fmt::format_to(out, "{}", is_path(flag.argument) ? " -r -F" : " -x");
    const auto words = words_of(flag.argument);
    if (!words.empty()) fmt::format_to(out, " -a '{}'", fmt::join(words, " "));
    fmt::format_to(out, "\n");
  }
  const std::string words = positional_words(program, verb);
  if (!words.empty()) fmt::format_to(out, "{} -a '{}'\n", head, words);
  if (is_path(verb.positional.usage)) fmt::format_to(out, "{} -F\n", head);
}

}  // namespace

std::string bash_completion(const Program& program) {
  std::string text = fmt::format(
      "# bash completion for {0}\n"
      "_{0}() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  local words='{1} --help --version' files=''\n"
      "  if ((COMP_CWORD > 1)); then\n"
      "    words=''\n"
      "    case \"${{COMP_WORDS[1]}}\" in\n",
      program.name, verb_names(program));
  for (const Verb* verb : listed(program)) bash_verb(program, *verb, Out(text));
  fmt::format_to(Out(text),
                 "    esac\n  fi\n"
                 "  COMPREPLY=($(compgen $files -W \"$words\" -- \"$current\"))\n"
                 "}}\ncomplete -F _{0} {0}\n",
                 program.name);
  return text;
}

std::string zsh_completion(const Program& program) {
  std::string text = fmt::format(
      "#compdef {0}\n"
      "_{0}() {{\n"
      "  if ((CURRENT == 2)); then\n"
      "    local -a verbs=(\n",
      program.name);
  for (const Verb* verb : listed(program)) {
    fmt::format_to(Out(text), "      '{}:{}'\n", verb->name, quoted(verb->summary));
  }
  fmt::format_to(Out(text),
                 "    )\n    _describe verb verbs\n    return\n  fi\n"
                 "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n"
                 "  case $verb in\n");
  for (const Verb* verb : listed(program)) zsh_verb(program, *verb, Out(text));
  // Autoloaded from fpath the file is the function's body, sourced it is not.
  fmt::format_to(Out(text),
                 "  esac\n}}\n"
                 "if [[ $funcstack[1] == _{0} ]]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n",
                 program.name);
  return text;
}

std::string fish_completion(const Program& program) {
  std::string text = fmt::format(
      "# fish completion for {0}\n"
      "complete -c {0} -f\n"
      "complete -c {0} -s h -l help -d 'show the help text'\n",
      program.name);
  for (const Verb* verb : listed(program)) {
    fmt::format_to(Out(text), "complete -c {} -n __fish_use_subcommand -a {} -d '{}'\n",
                   program.name, verb->name, quoted(verb->summary));
  }
  for (const Verb* verb : listed(program)) fish_verb(program, *verb, Out(text));
  return text;
}

int run_completion(const Arguments& arguments) {
  const std::string& shell = arguments.positional().front();
  const Program& program = arguments.program();
  if (shell == "bash") fmt::print("{}", bash_completion(program));
  if (shell == "zsh") fmt::print("{}", zsh_completion(program));
  if (shell == "fish") fmt::print("{}", fish_completion(program));
  return kExitOk;
}

}  // namespace warpsight
