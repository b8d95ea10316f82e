#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "simulate/parse.h"

namespace warpsight::simulate {
namespace {

constexpr std::array<std::string_view, 9> kKeys = {"fault", "at",    "for", "gpu",  "call",
                                                   "delay", "error", "xid", "every"};
constexpr std::array<std::pair<std::string_view, FaultKind>, 10> kKinds = {
    {{"hang", FaultKind::hang},
     {"slow", FaultKind::slow},
     {"error", FaultKind::error},
     {"lost", FaultKind::lost},
     {"reload", FaultKind::reload},
     {"xid", FaultKind::xid},
     {"reset_counters", FaultKind::reset_counters},
     {"garbage", FaultKind::garbage},
     {"unsupported", FaultKind::unsupported},
     {"vanish", FaultKind::vanish}}};

constexpr std::array<std::pair<std::string_view, unsigned>, 30> kErrors = {
    {{"UNINITIALIZED", 1},
     {"INVALID_ARGUMENT", 2},
     {"NOT_SUPPORTED", 3},
     {"NO_PERMISSION", 4},
     {"ALREADY_INITIALIZED", 5},
     {"NOT_FOUND", 6},
     {"INSUFFICIENT_SIZE", 7},
     {"INSUFFICIENT_POWER", 8},
     {"DRIVER_NOT_LOADED", 9},
     {"TIMEOUT", 10},
     {"IRQ_ISSUE", 11},
     {"LIBRARY_NOT_FOUND", 12},
     {"FUNCTION_NOT_FOUND", 13},
     {"CORRUPTED_INFOROM", 14},
     {"GPU_IS_LOST", 15},
     {"RESET_REQUIRED", 16},
     {"OPERATING_SYSTEM", 17},
     {"LIB_RM_VERSION_MISMATCH", 18},
     {"IN_USE", 19},
     {"MEMORY", 20},
     {"NO_DATA", 21},
     {"VGPU_ECC_NOT_SUPPORTED", 22},
     {"INSUFFICIENT_RESOURCES", 23},
     {"FREQ_NOT_SUPPORTED", 24},
     {"ARGUMENT_VERSION_MISMATCH", 25},
     {"DEPRECATED", 26},
     {"NOT_READY", 27},
     {"GPU_NOT_FOUND", 28},
     {"INVALID_STATE", 29},
     {"UNKNOWN", 999}}};

void add_functions(Reader& reader, const YamlNode& node, FunctionSet& functions) {
  std::string text;
  reader.text(node, text, 128);
  if (reader.failed()) return;
  const bool prefix = text.ends_with('*');
  const std::string_view stem = std::string_view(text).substr(0, text.size() - (prefix ? 1 : 0));
  bool found = false;
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    const bool hit = prefix ? kFunctionNames[i].starts_with(stem) : kFunctionNames[i] == stem;
    if (hit) functions.set(i);
    found = found || hit;
  }
  if (!found) reader.unknown(node, "call", text, kFunctionNames);
}

// A key that only one kind of fault takes, and that this kind needs.
void check_key(Reader& reader, const MapView& map, std::string_view key, bool needed) {
  if (map.has(key) == needed) return;
  reader.fail(map.node(), needed ? fmt::format("this fault needs '{}'", key)
                                 : fmt::format("'{}' does not go with this fault", key));
}

bool touches_calls(FaultKind kind) {
  return kind == FaultKind::hang || kind == FaultKind::slow || kind == FaultKind::error ||
         kind == FaultKind::garbage || kind == FaultKind::unsupported;
}

Fault parse_fault(Reader& reader, const MapView& map, std::size_t gpus) {
  Fault fault;
  if (!map.has("fault")) reader.fail(map.node(), "a fault needs its kind", "write fault: hang");
  map.choice("fault", fault.kind, kKinds);
  check_key(reader, map, "delay", fault.kind == FaultKind::slow);
  check_key(reader, map, "error", fault.kind == FaultKind::error);
  check_key(reader, map, "xid", fault.kind == FaultKind::xid);
  if (fault.kind != FaultKind::xid) check_key(reader, map, "every", false);
  if (!touches_calls(fault.kind)) check_key(reader, map, "call", false);

  map.seconds("at", fault.at, 0, kMaxSeconds);
  double length = fault.kind == FaultKind::reload ? 5 : kForever;
  map.seconds("for", length, 0, kMaxSeconds);
  fault.until = fault.at + length;
  const YamlNode* selector = map.find("gpu");
  if (selector != nullptr) fault.gpus = parse_gpu_selector(reader, *selector, gpus);
  if (const YamlNode* call = map.find("call")) {
    parse_functions(reader, *call, fault.functions);
    fault.named = true;
  } else {
    fault.functions.set();
  }
  map.seconds("delay", fault.delay, 0, 3600);
  map.integer("xid", fault.xid, 0xffff);
  map.seconds("every", fault.every, 0.001, kMaxSeconds);
  if (const YamlNode* error = map.find("error")) {
    YamlNode name = *error;
    std::transform(name.text.begin(), name.text.end(), name.text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (name.text.starts_with("NVML_ERROR_")) name.text.erase(0, 11);
    reader.choice(name, fault.error, kErrors);
  }
  return fault;
}

}  // namespace

void parse_functions(Reader& reader, const YamlNode& node, FunctionSet& functions) {
  if (node.kind != YamlNode::Kind::sequence) {
    add_functions(reader, node, functions);
  } else if (reader.sequence(node, kFunctionCount)) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      add_functions(reader, reader.child(node, i), functions);
    }
  }
}

void parse_faults(Reader& reader, const YamlNode& node, Scenario& scenario) {
  if (!reader.sequence(node, kMaxFaults)) return;
  for (std::size_t i = 0; i < node.children.size() && !reader.failed(); ++i) {
    const MapView map(reader, reader.child(node, i), kKeys);
    scenario.faults.push_back(parse_fault(reader, map, scenario.gpus.size()));
  }
}

}  // namespace warpsight::simulate
