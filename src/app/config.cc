#include "app/config.h"

#include <fmt/format.h>

#include "app/config_loader.h"
#include "platform/file.h"
#include "wire/yaml.h"

namespace warpsight {
namespace {

std::vector<Section> default_sections(std::span<const SectionDef> defs) {
  std::vector<Section> sections;
  sections.reserve(defs.size());
  for (const SectionDef& def : defs) {
    sections.push_back({.name = std::string(def.name),
                        .options = Options::defaults(def.options),
                        .repeatable = def.repeatable});
  }
  return sections;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string out = diagnostic.file;
  if (diagnostic.line > 0) out += fmt::format(":{}:{}", diagnostic.line, diagnostic.column);
  out += ": " + diagnostic.message;
  if (!diagnostic.hint.empty()) out += "; " + diagnostic.hint;
  return out;
}

Config default_config(const ConfigSchema& schema) {
  return {.agent = Options::defaults(schema.agent),
          .sources = default_sections(schema.sources),
          .sinks = default_sections(schema.sinks)};
}

LoadedConfig parse_config(std::string_view text, const std::string& file,
                          const ConfigSchema& schema, const ConfigInputs& inputs) {
  LoadedConfig loaded;
  loaded.config = default_config(schema);
  auto document = parse_yaml(text);
  if (!document) {
    const YamlError& error = document.error();
    loaded.errors.push_back({file, error.place.line, error.place.column, error.message});
    return loaded;
  }
  ConfigLoader(file, inputs, loaded).load(*document);
  return loaded;
}

LoadedConfig load_config(const std::string& path, const ConfigSchema& schema,
                         const ConfigInputs& inputs) {
  auto text = read_file(path, kMaxYamlBytes);
  if (text) return parse_config(*text, path, schema, inputs);
  LoadedConfig loaded;
  loaded.config = default_config(schema);
  loaded.errors.push_back({path, 0, 0, text.error().message, text.error().hint});
  return loaded;
}

}  // namespace warpsight
