#include "app/setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "app/agent_options.h"
#include "runtime/log.h"
#include "simulate/scenario.h"
#include "sinks/otlp/environment.h"
#include "sinks/table.h"
#include "sources/table.h"

namespace warpsight {
namespace {

std::vector<SectionDef> source_sections() {
  std::vector<SectionDef> sections;
  for (const SourceDef& def : source_table()) {
    sections.push_back({def.name, def.summary, def.options, def.repeatable});
  }
  return sections;
}

std::vector<SectionDef> sink_sections() {
  const PageDef& page = prometheus_page();
  std::vector<SectionDef> sections = {{page.name, page.summary, page.options}};
  for (const SinkDef& def : sink_table()) {
    sections.push_back({def.name, def.summary, def.options, true});
  }
  return sections;
}

LoadedConfig load_config_file(const Arguments& arguments) {
  if (arguments.has("config")) return load_config(arguments.value("config"), config_schema());
  if (access(kDefaultConfigPath, F_OK) == 0)
    return load_config(kDefaultConfigPath, config_schema());
  return {default_config(config_schema()), {}, {}};
}

}  // namespace

const ConfigSchema& config_schema() {
  static const std::vector<SectionDef> sources = source_sections();
  static const std::vector<SectionDef> sinks = sink_sections();
  static const ConfigSchema schema{agent_options(), sources, sinks};
  return schema;
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

LoadedConfig load_config_for(const Arguments& arguments) {
  LoadedConfig loaded = load_config_file(arguments);
  Options& otlp = section_of(loaded.config.sinks, "otlp").options;
  if (const auto applied = apply_otel_environment(otlp, environment_variable); !applied) {
    loaded.errors.push_back({"environment", 0, 0, applied.error().message, applied.error().hint});
  }
  return loaded;
}

std::optional<Config> load_config_or_complain(const Arguments& arguments) {
  LoadedConfig loaded = load_config_for(arguments);
  for (const Diagnostic& warning : loaded.warnings) {
    fmt::print(stderr, "warning: {}\n", to_string(warning));
  }
  for (const Diagnostic& error : loaded.errors) {
    fmt::print(stderr, "error: {}\n", to_string(error));
  }
  if (!loaded.ok()) return std::nullopt;
  return std::move(loaded.config);
}

std::optional<std::string> scenario_or_complain(const Arguments& arguments) {
  if (!arguments.has("simulate")) return std::string{};
  std::string name = arguments.value("simulate");
  const auto scenario = simulate::load_scenario(name);
  if (scenario) return name;
  fmt::print(stderr, "error: {}\n", describe(scenario.error()));
  return std::nullopt;
}

void configure_log_from(const Config& config) {
  LogConfig log;
  log.level = parse_log_level(config.agent.text("log.level"));
  log.format = config.agent.text("log.format") == "json" ? LogFormat::json : LogFormat::text;
  log.style = detect_log_style();
  configure_log(log);
}

std::string own_executable() {
  char path[PATH_MAX] = {};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "warpsight";
}

const Section& section_of(const std::vector<Section>& sections, std::string_view name) {
  return *std::ranges::find(sections, name, &Section::name);
}

Section& section_of(std::vector<Section>& sections, std::string_view name) {
  return *std::ranges::find(sections, name, &Section::name);
}

}  // namespace warpsight
