#include "app/config_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/nearest.h"

namespace warpsight {
namespace {

using Kind = YamlNode::Kind;

constexpr std::size_t kMaxItems = 4096;
constexpr std::size_t kMaxSections = 64;
constexpr std::string_view kSecretFile = "file:";

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::null: return "nothing";
    case Kind::scalar: return "a single value";
    case Kind::sequence: return "a list";
    case Kind::map: break;
  }
  return "a map";
}

// Keys come from the file: cut, and without what could forge a line.
std::string shown(std::string_view key) {
  std::string out(key.substr(0, 60));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return out.size() < key.size() ? out + "..." : out;
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Fit for a file's name: sinks have directories of their own.
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= 40 && is_alphanumeric(text.front()) &&
         std::ranges::all_of(
             text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string did_you_mean(std::string_view near) {
  return near.empty() ? std::string() : fmt::format("did you mean \"{}\"?", near);
}

// What may stand below `prefix`: "level" for "log.level" below "log.", "log" below "".
std::vector<std::string_view> keys_below(std::span<const OptionDef> table,
                                         std::string_view prefix) {
  std::vector<std::string_view> keys;
  for (const OptionDef& def : table) {
    if (!def.name.starts_with(prefix)) continue;
    const std::string_view rest = def.name.substr(prefix.size());
    keys.push_back(rest.substr(0, rest.find('.')));
    keys.push_back(rest);
  }
  return keys;
}

bool is_group(std::span<const OptionDef> table, const std::string& name) {
  return std::ranges::any_of(table,
                             [&](const auto& def) { return def.name.starts_with(name + "."); });
}

}  // namespace

void ConfigLoader::error(YamlPlace place, std::string message, std::string hint) {
  if (into_.errors.size() >= kMaxConfigErrors) return;
  into_.errors.push_back({file_, place.line, place.column, std::move(message), std::move(hint)});
}

void ConfigLoader::error(YamlPlace place, const Error& error) {
  this->error(place, error.message, error.hint);
}

bool ConfigLoader::is_map_without_repeats(const YamlNode& node, std::string_view what) {
  if (node.kind == Kind::null) return false;
  if (node.kind != Kind::map) {
    error(node.place, fmt::format("{} must be a map of keys, not {}", what, kind_name(node.kind)));
    return false;
  }
  std::set<std::string_view> seen;
  for (const YamlNode& key : node.keys) {
    if (seen.insert(key.scalar).second) continue;
    error(key.place, fmt::format("duplicate key \"{}\"", shown(key.scalar)), "keep one of them");
  }
  return true;
}

void ConfigLoader::load(const YamlNode& root) {
  if (!is_map_without_repeats(root, "the file")) return;
  std::map<std::string, std::string> seen;
  const Scope agent{.options = &into_.config.agent, .path = "", .prefix = "", .seen = &seen};
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    const std::string& key = root.keys[i].scalar;
    if (key == "sources") {
      load_sections(root.items[i], "source", into_.config.sources);
    } else if (key == "sinks") {
      load_sections(root.items[i], "sink", into_.config.sinks);
    } else {
      load_entry(root.keys[i], root.items[i], agent);
    }
  }
}

void ConfigLoader::load_sections(const YamlNode& node, std::string_view kind,
                                 std::vector<Section>& sections) {
  if (!is_map_without_repeats(node, fmt::format("{}s", kind))) return;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    Section* section = section_for(node.keys[i], kind, sections);
    if (section != nullptr) load_section(node.items[i], kind, *section);
  }
}

Section* ConfigLoader::section_for(const YamlNode& key, std::string_view kind,
                                   std::vector<Section>& sections) {
  const std::string& name = key.scalar;
  if (const auto found = std::ranges::find(sections, name, &Section::name);
      found != sections.end()) {
    return &*found;
  }
  const auto slash = name.find('/');
  const auto type = std::ranges::find(sections, name.substr(0, slash), &Section::name);
  if (slash == std::string::npos || type == sections.end()) {
    std::vector<std::string_view> names;
    names.reserve(sections.size());
    for (const Section& section : sections) names.emplace_back(section.name);
    const std::string_view near = nearest(name, names);
    error(key.place, fmt::format("unknown {} \"{}\"", kind, shown(name)),
          near.empty() ? fmt::format("known are: {}", fmt::join(names, ", ")) : did_you_mean(near));
    return nullptr;
  }
  if (!type->repeatable) {
    error(key.place, fmt::format("there can be only one {}", type->name),
          fmt::format("write its keys below \"{}\"", type->name));
    return nullptr;
  }
  if (!is_label(std::string_view(name).substr(slash + 1))) {
    error(key.place, fmt::format("\"{}\" is no name for a {}", shown(name), kind),
          "after the slash: up to 40 letters, digits, '-', '_' or '.', beginning with one of the "
          "first two");
    return nullptr;
  }
  if (sections.size() >= kMaxSections) {
    error(key.place, fmt::format("more than {} {}s", kMaxSections, kind));
    return nullptr;
  }
  sections.push_back(
      {.name = name, .options = Options::defaults(type->options.table()), .repeatable = true});
  return &sections.back();
}

void ConfigLoader::load_section(const YamlNode& node, std::string_view kind, Section& section) {
  const std::string name = fmt::format("{}s.{}", kind, section.name);
  if (node.kind == Kind::scalar) {
    // The shorthand `nvml: false`.
    const OptionDef* enabled = section.options.find("enabled");
    if (enabled != nullptr) return load_option(*enabled, node, section.options);
    return error(node.place, fmt::format("{} cannot be switched on and off", name),
                 "write its keys below it");
  }
  if (!is_map_without_repeats(node, name)) return;
  std::map<std::string, std::string> seen;
  load_entries(node,
               {.options = &section.options, .path = name + ".", .prefix = "", .seen = &seen});
  // Who writes down where a sink sends wants it to.
  if (kind == "sink" && section.options.find("enabled") != nullptr &&
      !section.options.given("enabled")) {
    (void)section.options.set("enabled", "true");
  }
}

void ConfigLoader::load_entries(const YamlNode& map, const Scope& scope) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) load_entry(map.keys[i], map.items[i], scope);
}

void ConfigLoader::load_entry(const YamlNode& key, const YamlNode& value, const Scope& scope) {
  const std::string name = scope.prefix + key.scalar;
  if (const OptionDef* def = scope.options->find(name)) {
    // Plain repeats are told already; this is `log.level` beside `log: {level}`.
    const auto [first, fresh] = scope.seen->emplace(name, scope.prefix);
    if (!fresh && first->second != scope.prefix) {
      error(key.place, fmt::format("\"{}\" is given twice", name), "keep one of them");
    }
    return load_option(*def, value, *scope.options);
  }
  if (!is_group(scope.options->table(), name)) return unknown_key(key, scope);
  if (!is_map_without_repeats(value, scope.path + key.scalar)) return;
  Scope inner = scope;
  inner.path += key.scalar + ".";
  inner.prefix = name + ".";
  load_entries(value, inner);
}

void ConfigLoader::unknown_key(const YamlNode& key, const Scope& scope) {
  const auto table = scope.options->table();
  std::vector<std::string_view> keys = keys_below(table, scope.prefix);
  if (scope.path.empty()) keys.insert(keys.end(), {"sources", "sinks"});
  std::string_view near = nearest(key.scalar, keys);
  if (near.empty()) {
    // The right key a level too high: "level" for "log.level".
    const auto leaf = std::ranges::find_if(
        table, [&](const auto& def) { return def.name.ends_with("." + key.scalar); });
    if (leaf != table.end()) near = leaf->name;
  }
  error(key.place, fmt::format("unknown key \"{}{}\"", scope.path, shown(key.scalar)),
        did_you_mean(near));
}

void ConfigLoader::load_option(const OptionDef& def, const YamlNode& value, Options& options) {
  if (value.kind == Kind::null) {
    return error(value.place, fmt::format("\"{}\" has no value", def.name),
                 "remove the key, or write \"\" for an empty value");
  }
  const bool secret = def.type == OptionType::secret || def.type == OptionType::secret_map;
  if (value.kind == Kind::scalar && secret) return set_secret(def, value, options);
  if (value.kind == Kind::scalar) return set_scalar(def, value, options);
  if (value.kind == Kind::sequence && def.type == OptionType::list) {
    return set_list(def, value, options);
  }
  if (value.kind == Kind::map &&
      (def.type == OptionType::map || def.type == OptionType::secret_map)) {
    return set_map(def, value, options);
  }
  error(value.place,
        fmt::format("{}: {}, not {}", def.name, expectation(def), kind_name(value.kind)));
}

bool ConfigLoader::expand(const YamlNode& node, std::string& out) {
  auto expanded = expand_variables(node.scalar, inputs_);
  if (!expanded) {
    error(node.place, expanded.error());
    return false;
  }
  out = std::move(*expanded);
  return true;
}

void ConfigLoader::set_scalar(const OptionDef& def, const YamlNode& value, Options& options) {
  std::string text;
  if (!expand(value, text)) return;
  refused(def, value, text != value.scalar, options.set(def.name, text));
}

void ConfigLoader::refused(const OptionDef& def, const YamlNode& value, bool expanded,
                           const Result<>& set) {
  if (set) return;
  // A variable may hold anything, a secret put in the wrong place too: its value is not shown.
  const std::string message =
      expanded ? expectation(def) + ", which the variable does not give" : set.error().message;
  error(value.place, fmt::format("{}: {}", def.name, message),
        expanded ? std::string() : set.error().hint);
}

bool ConfigLoader::expand_secret(std::string_view name, const YamlNode& value, std::string& out) {
  if (!expand(value, out)) return false;
  if (out.starts_with(kSecretFile)) {
    auto secret = inputs_.secret_file(out.substr(kSecretFile.size()));
    if (!secret) {
      error(value.place, secret.error());
      return false;
    }
    out = std::move(*secret);
  } else if (out == value.scalar && !out.empty()) {
    into_.warnings.push_back({file_, value.place.line, value.place.column,
                              fmt::format("\"{}\" is written in the file itself", name),
                              "better give file:/path or ${VARIABLE}"});
  }
  return true;
}

void ConfigLoader::set_secret(const OptionDef& def, const YamlNode& value, Options& options) {
  std::string text;
  if (!expand_secret(def.name, value, text)) return;
  refused(def, value, true, options.set(def.name, text));
}

void ConfigLoader::set_list(const OptionDef& def, const YamlNode& value, Options& options) {
  Options::List items;
  bool expanded = false;
  if (value.items.size() > kMaxItems) {
    return error(value.place, fmt::format("{}: more than {} items", def.name, kMaxItems));
  }
  for (const YamlNode& item : value.items) {
    if (item.kind != Kind::scalar) {
      return error(item.place, fmt::format("{}: an item must be a single value, not {}", def.name,
                                           kind_name(item.kind)));
    }
    if (!expand(item, items.emplace_back())) return;
    expanded = expanded || items.back() != item.scalar;
  }
  refused(def, value, expanded, options.set_list(def.name, std::move(items)));
}

void ConfigLoader::set_map(const OptionDef& def, const YamlNode& value, Options& options) {
  if (!is_map_without_repeats(value, def.name)) return;
  if (value.items.size() > kMaxItems) {
    return error(value.place, fmt::format("{}: more than {} entries", def.name, kMaxItems));
  }
  Options::Map entries;
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const YamlNode& item = value.items[i];
    if (item.kind != Kind::scalar) {
      return error(item.place, fmt::format("{}.{} must be a single value, not {}", def.name,
                                           shown(value.keys[i].scalar), kind_name(item.kind)));
    }
    auto& [key, text] = entries.emplace_back(value.keys[i].scalar, std::string());
    const bool taken = def.type == OptionType::secret_map
                           ? expand_secret(fmt::format("{}.{}", def.name, key), item, text)
                           : expand(item, text);
    if (!taken) return;
  }
  refused(def, value, false, options.set_map(def.name, std::move(entries)));
}

}  // namespace warpsight
