#include "app/cli_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/exit_codes.h"

namespace warpsight {
namespace {

constexpr Flag kHelpFlag{.name = "help", .short_name = 'h', .help = "show this text"};

// A left column and what it means.
struct Row {
  std::string left;
  std::string_view right;
};

std::string table(const std::vector<Row>& rows) {
  constexpr std::size_t kWidestColumn = 28;
  std::size_t column = 0;
  for (const Row& row : rows) column = std::max(column, std::min(row.left.size(), kWidestColumn));
  std::string out;
  for (const Row& row : rows) {
    const std::size_t indent = column + 4;
    out += fmt::format("  {:<{}}", row.left, column);
    // A left side that is too wide has a line of its own.
    out += row.left.size() > column ? fmt::format("\n{:{}}", "", indent) : "  ";
    out += wrap(row.right, indent) + "\n";
  }
  return out;
}

std::string flag_label(const Flag& flag) {
  const std::string dash =
      flag.short_name != '\0' ? fmt::format("-{}, ", flag.short_name) : std::string("    ");
  return fmt::format("{}--{}{}{}", dash, flag.name, flag.argument.empty() ? "" : " ",
                     flag.argument);
}

std::string section(std::string_view title, const std::vector<Row>& rows) {
  return rows.empty() ? std::string() : fmt::format("\n{}:\n{}", title, table(rows));
}

std::string examples(std::span<const Example> list) {
  if (list.empty()) return {};
  std::string out = "\nExamples:\n";
  for (const Example& example : list) {
    out += fmt::format("  {}\n      {}\n", example.command, wrap(example.meaning, 6));
  }
  return out;
}

std::string exit_codes() {
  std::vector<Row> rows;
  rows.reserve(kExitCodes.size());
  for (const auto& [code, meaning] : kExitCodes) rows.push_back({std::to_string(code), meaning});
  return section("Exit codes", rows);
}

}  // namespace

std::string wrap(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  bool line_start = true;
  while (!text.empty()) {
    if (text.starts_with("\n\n")) {
      out += fmt::format("\n\n{:{}}", "", indent);
      column = indent;
      line_start = true;
      text.remove_prefix(2);
      continue;
    }
    const auto length = std::min(text.find_first_of(" \n"), text.size());
    if (length == 0) {
      text.remove_prefix(1);
      continue;
    }
    if (!line_start && column + 1 + length > width) {
      out += fmt::format("\n{:{}}", "", indent);
      column = indent;
      line_start = true;
    }
    if (!line_start) out += ' ';
    column += length + (line_start ? 0 : 1);
    out += text.substr(0, length);
    line_start = false;
    text.remove_prefix(length);
  }
  return out;
}

std::string program_help(const Program& program) {
  std::vector<Row> verbs;
  for (const Verb& verb : program.verbs) {
    if (!verb.hidden) verbs.push_back({std::string(verb.name), verb.summary});
  }
  std::string out =
      fmt::format("{}\n\nUsage: {} VERB [FLAGS]\n", wrap(program.summary, 0), program.name);
  out += section("Verbs", verbs);
  out +=
      section("Flags", {{flag_label(kHelpFlag), kHelpFlag.help},
                        {flag_label({.name = "version", .short_name = 'V'}), "show the version"}});
  out += examples(program.examples) + exit_codes();
  out += fmt::format("\n'{} VERB --help' explains a verb.\n", program.name);
  return out;
}

std::string verb_help(const Program& program, const Verb& verb) {
  std::string usage = fmt::format("{} {}", program.name, verb.name);
  if (!verb.flags.empty()) usage += " [FLAGS]";
  if (!verb.positional.usage.empty()) usage += fmt::format(" {}", verb.positional.usage);

  std::vector<Row> flags;
  for (const Flag& flag : verb.flags) flags.push_back({flag_label(flag), flag.help});
  flags.push_back({flag_label(kHelpFlag), kHelpFlag.help});

  std::string out = fmt::format("{}\n\nUsage: {}\n", wrap(verb.summary, 0), usage);
  if (!verb.description.empty()) out += fmt::format("\n{}\n", wrap(verb.description, 0));
  if (!verb.positional.help.empty()) {
    out += section("Arguments", {{std::string(verb.positional.usage), verb.positional.help}});
  }
  out += section("Flags", flags) + examples(verb.examples) + exit_codes();
  return out;
}

}  // namespace warpsight
