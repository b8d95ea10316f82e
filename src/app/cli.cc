#include "app/cli.h"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/cli_help.h"
#include "app/exit_codes.h"
#include "core/nearest.h"
#include "runtime/option_values.h"

namespace warpsight {
namespace {

constexpr int kFirstLong = 256;  // above any short option's character
constexpr std::string_view kHelp = "help";

std::string did_you_mean(std::string_view near, std::string_view prefix = "") {
  return near.empty() ? std::string() : fmt::format("did you mean {}{}?", prefix, near);
}

// getopt's view of a verb's flags. Long options come back as kFirstLong plus their index.
struct GetoptTables {
  std::vector<std::string> names;
  std::vector<option> long_options;
  std::string short_options = ":h";

  explicit GetoptTables(std::span<const Flag> flags) {
    names.reserve(flags.size() + 1);
    for (const Flag& flag : flags) add(flag);
    names.emplace_back(kHelp);
    long_options.push_back({names.back().c_str(), no_argument, nullptr, 'h'});
    long_options.push_back({nullptr, 0, nullptr, 0});
  }

 private:
  void add(const Flag& flag) {
    const int takes = flag.argument.empty() ? no_argument : required_argument;
    const int id = kFirstLong + static_cast<int>(names.size());
    names.emplace_back(flag.name);
    long_options.push_back({names.back().c_str(), takes, nullptr, id});
    if (flag.short_name == '\0') return;
    short_options += flag.short_name;
    if (takes == required_argument) short_options += ':';
  }
};

const Flag* flag_of(std::span<const Flag> flags, int code) {
  if (code >= kFirstLong) return &flags[static_cast<std::size_t>(code - kFirstLong)];
  const auto found = std::ranges::find(flags, static_cast<char>(code), &Flag::short_name);
  return found == flags.end() ? nullptr : &*found;
}

tl::unexpected<Error> unknown_flag(const Verb& verb, std::string_view word) {
  std::string_view name = word.substr(0, word.find('='));
  while (name.starts_with('-')) name.remove_prefix(1);
  std::vector<std::string_view> names;
  for (const Flag& flag : verb.flags) {
    names.push_back(flag.name);
    if (flag.name == name) {
      return fail(fmt::format("--{} takes no value", name));
    }
  }
  names.push_back(kHelp);
  return fail(fmt::format("'{}' has no flag {}", verb.name, word.substr(0, word.find('='))),
              did_you_mean(nearest(name, names), "--"));
}

Result<> check_positional(const Verb& verb, const std::vector<std::string>& words) {
  const Positional& spec = verb.positional;
  if (words.size() < spec.min) {
    return fail(fmt::format("'{}' needs {}", verb.name, spec.usage));
  }
  if (words.size() > spec.max) {
    return fail(fmt::format("'{}' does not take \"{}\"", verb.name, words[spec.max]));
  }
  const auto allowed = choices(spec.choices);
  for (const auto& word : words) {
    if (allowed.empty() || std::ranges::find(allowed, word) != allowed.end()) continue;
    return fail(fmt::format("expected one of {}, not \"{}\"", fmt::join(allowed, ", "), word),
                did_you_mean(nearest(word, allowed)));
  }
  return {};
}

int usage_error(const Program& program, std::string_view verb, const Error& error) {
  fmt::print(stderr, "{}: {}\nTry '{}{}{} --help'.\n", program.name, describe(error), program.name,
             verb.empty() ? "" : " ", verb);
  return kExitUsage;
}

tl::unexpected<Error> unknown_verb(const Program& program, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Verb& verb : program.verbs) {
    if (!verb.hidden) names.push_back(verb.name);
  }
  return fail(fmt::format("there is no verb \"{}\"", name), did_you_mean(nearest(name, names)));
}

int run_verb(const Program& program, const Verb& verb, std::span<const std::string> words) {
  const auto arguments = parse_arguments(program, verb, words);
  if (!arguments) return usage_error(program, verb.name, arguments.error());
  if (arguments->has(kHelp)) {
    fmt::print("{}", verb_help(program, verb));
    return kExitOk;
  }
  if (auto checked = check_positional(verb, arguments->positional()); !checked) {
    return usage_error(program, verb.name, checked.error());
  }
  return verb.run(*arguments);
}

}  // namespace

void Arguments::check_declared(std::string_view flag) const {
  if (flag == kHelp || std::ranges::find(verb_->flags, flag, &Flag::name) != verb_->flags.end()) {
    return;
  }
  fmt::print(stderr, "{}: '{}' does not declare --{}\n", program_->name, verb_->name, flag);
  std::abort();
}

bool Arguments::has(std::string_view flag) const {
  check_declared(flag);
  return std::ranges::any_of(flags_, [&](const auto& entry) { return entry.first == flag; });
}

std::string Arguments::value(std::string_view flag, std::string_view fallback) const {
  const auto all = values(flag);
  return all.empty() ? std::string(fallback) : all.back();
}

std::vector<std::string> Arguments::values(std::string_view flag) const {
  check_declared(flag);
  std::vector<std::string> out;
  for (const auto& [name, value] : flags_) {
    if (name == flag) out.push_back(value);
  }
  return out;
}

const Verb* find_verb(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.verbs, name, &Verb::name);
  return found == program.verbs.end() ? nullptr : &*found;
}

Result<Arguments> parse_arguments(const Program& program, const Verb& verb,
                                  std::span<const std::string> words) {
  // getopt may reorder the words, never the letters in them.
  std::vector<std::string> storage{std::string(verb.name)};
  storage.insert(storage.end(), words.begin(), words.end());
  std::vector<char*> argv;
  argv.reserve(storage.size() + 1);
  for (auto& word : storage) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(storage.size());

  const GetoptTables tables(verb.flags);
  Arguments arguments(program, verb);
  opterr = 0;
  optind = 0;  // also resets glibc's place within a word
  for (;;) {
    const int before = std::max(optind, 1);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): by this function's contract
    const int code = ::getopt_long(argc, argv.data(), tables.short_options.c_str(),
                                   tables.long_options.data(), nullptr);
    if (code == -1) break;
    // With a bad long option optind has moved past it; within bundled short ones it has not.
    const std::string_view word = argv[static_cast<std::size_t>(std::max(before, optind - 1))];
    if (code == 'h') {
      arguments.flags_.emplace_back(kHelp, "");
    } else if (code == ':') {
      return fail(fmt::format("{} needs a value", word));
    } else if (code == '?') {
      return unknown_flag(verb, word);
    } else if (const Flag* flag = flag_of(verb.flags, code)) {
      arguments.flags_.emplace_back(flag->name, optarg != nullptr ? optarg : "");
    }
  }
  for (int i = optind; i < argc; ++i) {
    arguments.positional_.emplace_back(argv[static_cast<std::size_t>(i)]);
  }
  return arguments;
}

int run_program(const Program& program, int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) {
    fmt::print(stderr, "{}", program_help(program));
    return kExitUsage;
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") {
    fmt::print("{}", program_help(program));
    return kExitOk;
  }
  if (first == "--version" || first == "-V") {
    fmt::print("{} {}\n", program.name, program.version);
    return kExitOk;
  }
  if (first.starts_with('-')) {
    return usage_error(program, "",
                       Error{fmt::format("{} stands before the verb", first),
                             fmt::format("write {} VERB {} ...", program.name, first)});
  }
  const Verb* verb = find_verb(program, first);
  if (verb == nullptr) return usage_error(program, "", unknown_verb(program, first).value());
  return run_verb(program, *verb, std::span(words).subspan(1));
}

int run_help(const Arguments& arguments) {
  const Program& program = arguments.program();
  if (arguments.positional().empty()) {
    fmt::print("{}", program_help(program));
    return kExitOk;
  }
  const std::string& name = arguments.positional().front();
  const Verb* verb = find_verb(program, name);
  if (verb == nullptr) return usage_error(program, "", unknown_verb(program, name).value());
  fmt::print("{}", verb_help(program, *verb));
  return kExitOk;
}

}  // namespace warpsight
