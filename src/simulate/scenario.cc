#include "simulate/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <utility>

#include "core/nearest.h"
#include "platform/file.h"
#include "simulate/builtin.h"
#include "simulate/parse.h"
#include "simulate/text.h"

namespace warpsight::simulate {
namespace {

constexpr std::array<std::string_view, 9> kKeys = {"name",           "summary", "driver",
                                                   "clock",          "gpus",    "processes",
                                                   "processes_from", "owners",  "faults"};
constexpr std::size_t kMaxPath = 4096;
constexpr std::array<std::string_view, 4> kDriverKeys = {"version", "nvml", "cuda", "uptime"};
constexpr std::array<std::string_view, 3> kClockKeys = {"frozen_at", "epoch", "speed"};

void parse_driver(Reader& reader, const YamlNode& node, Driver& driver) {
  const MapView map(reader, node, kDriverKeys);
  map.text("version", driver.version, 40);
  map.text("nvml", driver.nvml_version, 60);
  map.seconds("uptime", driver.uptime, 0, kMaxSeconds);
  double cuda = 0;
  map.number("cuda", cuda, 1, 99);
  if (cuda == 0) return;
  driver.cuda_major = static_cast<unsigned>(cuda);
  driver.cuda_minor = static_cast<unsigned>(std::lround(cuda * 10) % 10);
}

void parse_clock(Reader& reader, const YamlNode& node, ClockSettings& clock) {
  const MapView map(reader, node, kClockKeys);
  double value = 0;
  if (map.has("frozen_at")) {
    map.seconds("frozen_at", value, 0, kMaxSeconds);
    clock.frozen_at = value;
  }
  if (map.has("epoch")) {
    map.number("epoch", value, 0, 1e10);
    clock.epoch = value;
  }
  map.number("speed", clock.speed, 0.001, 10'000);
}

void parse_processes_from(Reader& reader, const MapView& map, std::string& path) {
  map.text("processes_from", path, kMaxPath);
  const YamlNode* node = map.find("processes_from");
  if (node != nullptr && !path.starts_with('/')) reader.fail(*node, "is not an absolute path");
}

Scenario parse_root(Reader& reader) {
  Scenario scenario;
  const MapView map(reader, reader.document().root(), kKeys);
  map.text("name", scenario.name, 64);
  map.text("summary", scenario.summary, 200);
  if (const YamlNode* node = map.find("driver")) parse_driver(reader, *node, scenario.driver);
  if (const YamlNode* node = map.find("clock")) parse_clock(reader, *node, scenario.clock);
  if (const YamlNode* node = map.find("gpus")) parse_gpus(reader, *node, scenario);
  if (const YamlNode* node = map.find("processes")) parse_processes(reader, *node, scenario);
  parse_processes_from(reader, map, scenario.processes_from);
  if (const YamlNode* node = map.find("owners")) parse_owners(reader, *node, scenario);
  if (const YamlNode* node = map.find("faults")) parse_faults(reader, *node, scenario);
  if (scenario.driver.nvml_version.empty()) {
    scenario.driver.nvml_version =
        fmt::format("{}.{}", scenario.driver.cuda_major, scenario.driver.version);
  }
  return scenario;
}

}  // namespace

std::span<const BuiltinScenario> builtin_scenarios() {
  static const std::vector<BuiltinScenario> kList = [] {
    std::vector<BuiltinScenario> list;
    for (const BuiltinText& builtin : builtin_texts()) {
      // The summary is the first line, "# <summary>".
      const std::string_view line = builtin.text.substr(0, builtin.text.find('\n'));
      list.push_back({builtin.name, line.starts_with("# ") ? line.substr(2) : line});
    }
    return list;
  }();
  return kList;
}

Result<Scenario> parse_scenario(std::string_view text, std::string_view origin) {
  if (text.size() > kMaxScenarioBytes) {
    return fail(fmt::format("{}: is larger than 4 MiB", origin));
  }
  try {
    const auto document = parse_yaml(text, origin);
    if (!document) return tl::unexpected(document.error());
    Reader reader(*document, origin);
    Scenario scenario = parse_root(reader);
    if (const auto& error = reader.error()) return tl::unexpected(*error);
    return scenario;
  } catch (const std::exception& error) {
    return fail(fmt::format("{}: {}", origin, error.what()));
  }
}

Result<Scenario> load_scenario(const std::string& name_or_path) {
  for (const BuiltinText& builtin : builtin_texts()) {
    if (builtin.name == name_or_path) {
      auto scenario = parse_scenario(builtin.text, builtin.name);
      if (scenario && scenario->name.empty()) scenario->name = builtin.name;
      return scenario;
    }
  }
  if (name_or_path.find_first_of("/.") == std::string::npos) {
    std::vector<std::string_view> names;
    for (const BuiltinText& builtin : builtin_texts()) names.push_back(builtin.name);
    const std::string_view near = nearest(name_or_path, names);
    return fail(fmt::format("there is no scenario '{}'{}", name_or_path,
                            near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)),
                fmt::format("choose one of {}, or give a file's path", join_names(names)));
  }
  auto text = read_file(name_or_path, kMaxScenarioBytes);
  if (!text) return tl::unexpected(text.error());
  auto scenario = parse_scenario(*text, name_or_path);
  if (scenario && scenario->name.empty()) scenario->name = name_or_path;
  return scenario;
}

}  // namespace warpsight::simulate
