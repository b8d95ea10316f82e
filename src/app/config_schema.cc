#include "app/config_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "runtime/option_values.h"

namespace warpsight {
namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr std::string_view kIntroduction = R"(# Configuration

Warpsight runs without a file. A file narrows or extends what it does; it is YAML, and
`warpsight check-config --config FILE` checks it. An unknown key, a wrong value or a repeated
key is an error, told with its line and the nearest valid key, and the agent does not start. On
SIGHUP the file is read again; when it has errors the running configuration stays.

- **Durations** are `250ms`, `10s`, `5m`, `1h`; **sizes** are `64KiB` (1024) or `10MB` (1000).
- **`${NAME}`** in a value is the environment variable of that name, `${NAME:-default}` the
  default where it is unset or empty; `$${` is a literal `${`.
- **Secrets** are given as `file:/path` (a file that others may not read) or `${NAME}`. Written
  out in the file they work, with a warning. They never appear in a log or a dump.
- **`sources`** and **`sinks`** hold one map for each; `NAME: false` is short for
  `NAME: {enabled: false}`. A sink that the file gives keys is on unless they say
  `enabled: false`.
- **Several sinks of a kind** have names after a slash: `otlp`, `otlp/backup`. Each has its own
  connection, its own spool and its own counts.
- A dot in a key's name is a level: `log.level` is `level` below `log`.

A file of all defaults comes from `warpsight check-config --example`.
)";

constexpr std::string_view kExampleHead =
    R"(## Warpsight: every key with its default. To set one, remove the first '#' of its
## line and of the lines it is nested under.
)";

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("`{}`", cell(text));
}

std::string allowed_cell(const OptionDef& def) {
  if (def.allowed.find("..") != std::string_view::npos) return code(def.allowed);
  std::string out;
  for (const std::string_view choice : choices(def.allowed)) {
    out += (out.empty() ? "" : ", ") + code(choice);
  }
  return out;
}

void write_table(std::span<const OptionDef> table, Out out) {
  fmt::format_to(out, "| Key | Type | Default | Allowed | Meaning |\n|---|---|---|---|---|\n");
  for (const OptionDef& def : table) {
    fmt::format_to(out, "| {} | {} | {} | {} | {} |\n", code(def.name), to_string(def.type),
                   code(def.default_value), allowed_cell(def), cell(def.doc));
  }
}

void write_sections(std::string_view title, std::span<const SectionDef> sections, Out out) {
  if (sections.empty()) return;
  fmt::format_to(out, "\n## {}\n", title);
  for (const SectionDef& section : sections) {
    fmt::format_to(out, "\n### {}\n\n{}\n", section.name, section.summary);
    if (section.options.empty()) continue;
    fmt::format_to(out, "\n");
    write_table(section.options, out);
  }
}

bool plain_in_yaml(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.back() != ':' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("_./:-").find(c) != std::string_view::npos;
         });
}

std::string yaml_scalar(std::string_view text) {
  if (plain_in_yaml(text)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string yaml_default(const OptionDef& def) {
  const bool map = def.type == OptionType::map || def.type == OptionType::secret_map;
  if (map && def.default_value.empty()) return "{}";
  if (def.type == OptionType::list && def.default_value.empty()) return "[]";
  return yaml_scalar(def.default_value);
}

// Every line begins with '#'; explanations with a second one, so that they stay comments.
void write_example(std::span<const OptionDef> table, std::string_view indent, Out out) {
  std::string_view group;
  for (const OptionDef& def : table) {
    const auto dot = def.name.find('.');
    const std::string_view above = dot == std::string_view::npos ? "" : def.name.substr(0, dot);
    const std::string_view key = above.empty() ? def.name : def.name.substr(dot + 1);
    if (above != group && !above.empty()) fmt::format_to(out, "#{}{}:\n", indent, above);
    group = above;
    const std::string_view deeper = above.empty() ? "" : "  ";
    fmt::format_to(out, "#{}{}# {}", indent, deeper, def.doc);
    if (!def.allowed.empty()) fmt::format_to(out, " ({})", def.allowed);
    fmt::format_to(out, "\n#{}{}{}: {}\n", indent, deeper, key, yaml_default(def));
  }
}

void write_example_sections(std::string_view name, std::span<const SectionDef> sections, Out out) {
  if (sections.empty()) return;
  fmt::format_to(out, "#\n#{}:\n", name);
  for (const SectionDef& section : sections) {
    fmt::format_to(out, "#  # {}\n#  {}:\n", section.summary, section.name);
    write_example(section.options, "    ", out);
  }
}

}  // namespace

std::string reference(const ConfigSchema& schema) {
  std::string text(kIntroduction);
  const Out out(text);
  fmt::format_to(out, "\n## Agent\n\n");
  write_table(schema.agent, out);
  write_sections("Sources", schema.sources, out);
  write_sections("Sinks", schema.sinks, out);
  return text;
}

std::string example(const ConfigSchema& schema) {
  std::string text(kExampleHead);
  const Out out(text);
  write_example(schema.agent, "", out);
  write_example_sections("sources", schema.sources, out);
  write_example_sections("sinks", schema.sinks, out);
  return text;
}

}  // namespace warpsight
