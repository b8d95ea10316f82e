#include <fmt/format.h>

#include <array>
#include <bit>

#include "simulate/parse.h"

namespace warpsight::simulate {
namespace {

constexpr std::array<std::string_view, 11> kKeys = {
    "gpu", "pid", "name", "memory", "sm", "type", "from", "until", "every", "alive", "mig"};
constexpr std::array<std::pair<std::string_view, ProcessType>, 3> kTypes = {
    {{"compute", ProcessType::compute},
     {"graphics", ProcessType::graphics},
     {"mps", ProcessType::mps}}};

Process parse_process(Reader& reader, const MapView& map, std::size_t index) {
  Process process;
  process.pid = 4200 + static_cast<std::uint32_t>(index);
  const YamlNode* pid = map.find("pid");
  if (pid != nullptr && pid->text == "self") {
    process.pid = kOwnPid;
  } else {
    map.integer("pid", process.pid, kHighestPid);
  }
  process.name = "python3";
  map.text("name", process.name, 255);
  map.bytes("memory", process.memory, std::uint64_t{1} << 50U);
  map.number("sm", process.sm, 0, 1);
  map.choice("type", process.type, kTypes);
  map.seconds("from", process.from, -kMaxSeconds, kMaxSeconds);
  map.seconds("until", process.until, -kMaxSeconds, kMaxSeconds);
  map.seconds("every", process.every, 0.1, kMaxSeconds);
  if (process.every > 0) process.alive = process.every / 2;
  map.seconds("alive", process.alive, 0, kMaxSeconds);
  if (map.has("alive") && (!map.has("every") || process.alive > process.every)) {
    reader.fail(map.node(), "'alive' needs an 'every' that is not shorter");
  }
  if (!map.has("from")) process.from = -kMaxSeconds;
  if (process.every > 0 && !map.has("from")) process.from = 0;
  return process;
}

}  // namespace

std::uint64_t parse_gpu_selector(Reader& reader, const YamlNode& node, std::size_t gpus) {
  const std::uint64_t all = gpus >= 64 ? ~0ULL : (1ULL << gpus) - 1;
  if (node.kind == YamlNode::Kind::scalar && node.text == "all") return all;
  std::uint64_t chosen = 0;
  const auto add = [&](const YamlNode& entry) {
    std::size_t index = 0;
    reader.integer(entry, index, gpus == 0 ? 0 : gpus - 1);
    chosen |= 1ULL << index;
  };
  if (node.kind != YamlNode::Kind::sequence) {
    add(node);
  } else if (reader.sequence(node, kMaxGpus)) {
    for (std::size_t i = 0; i < node.children.size(); ++i) add(reader.child(node, i));
  }
  return chosen & all;
}

void parse_processes(Reader& reader, const YamlNode& node, Scenario& scenario) {
  if (!reader.sequence(node, kMaxProcesses)) return;
  std::size_t total = 0;
  for (std::size_t i = 0; i < node.children.size() && !reader.failed(); ++i) {
    const YamlNode& entry = reader.child(node, i);
    const MapView map(reader, entry, kKeys);
    const Process process = parse_process(reader, map, i);
    const YamlNode* selector = map.find("gpu");
    const std::uint64_t gpus =
        selector == nullptr ? 1 : parse_gpu_selector(reader, *selector, scenario.gpus.size());
    for (std::size_t g = 0; g < scenario.gpus.size() && !reader.failed(); ++g) {
      if ((gpus >> g & 1) == 0) continue;
      Gpu& gpu = scenario.gpus[g];
      Process& added = gpu.processes.emplace_back(process);
      unsigned mig = 0;
      if (map.has("mig")) {
        if (gpu.mig.empty()) reader.fail(entry, fmt::format("GPU {} has no MIG instances", g));
        map.integer("mig", mig, gpu.mig.empty() ? 0 : gpu.mig.size() - 1);
        added.mig = static_cast<int>(mig);
      }
    }
    total += static_cast<std::size_t>(std::popcount(gpus));
    if (total > kMaxProcesses) {
      reader.fail(node, fmt::format("a scenario has at most {} processes", kMaxProcesses));
    }
  }
}

}  // namespace warpsight::simulate
