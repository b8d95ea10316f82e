#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "simulate/parse.h"
#include "simulate/text.h"

namespace warpsight::simulate {
namespace {

namespace abi = nvml::abi;

constexpr std::array<std::string_view, 41> kGpuKeys = {
    "count",          "model",         "name",          "architecture", "brand",
    "compute",        "uuid",          "serial",        "pci",          "minor",
    "module",         "pci_device_id", "pci_subsystem", "numa_node",    "vbios",
    "inforom",        "board_part",    "gsp",           "persistence",  "virtualization",
    "host_vgpu",      "memory",        "power",         "temperature",  "clocks",
    "idle_pstate",    "fans",          "ecc",           "row_remap",    "retired_pages",
    "remap_banks",    "pcie",          "gpm",           "nvlink",       "fabric",
    "mig_capable",    "mig",           "load",          "readings",     "unsupported",
    "multiprocessors"};

constexpr std::array<std::pair<std::string_view, unsigned>, 9> kArchitectures = {
    {{"maxwell", abi::architecture::kMaxwell},
     {"pascal", abi::architecture::kPascal},
     {"volta", abi::architecture::kVolta},
     {"turing", abi::architecture::kTuring},
     {"ampere", abi::architecture::kAmpere},
     {"ada", abi::architecture::kAda},
     {"hopper", abi::architecture::kHopper},
     {"blackwell", abi::architecture::kBlackwell},
     {"rubin", abi::architecture::kRubin}}};
constexpr std::array<std::pair<std::string_view, unsigned>, 6> kBrands = {
    {{"nvidia", abi::brand::kNvidia},
     {"tesla", abi::brand::kTesla},
     {"quadro", abi::brand::kQuadro},
     {"geforce", abi::brand::kGeforce},
     {"geforce_rtx", abi::brand::kGeforceRtx},
     {"nvidia_rtx", abi::brand::kNvidiaRtx}}};
constexpr std::array<std::pair<std::string_view, abi::VirtualizationMode>, 5> kVirtualization = {
    {{"none", abi::VirtualizationMode::none},
     {"passthrough", abi::VirtualizationMode::passthrough},
     {"vgpu", abi::VirtualizationMode::vgpu},
     {"host_vgpu", abi::VirtualizationMode::host_vgpu},
     {"host_vsga", abi::VirtualizationMode::host_vsga}}};
constexpr std::array<std::pair<std::string_view, TemperatureLimits>, 3> kLimits = {
    {{"absolute", TemperatureLimits::absolute},
     {"margins", TemperatureLimits::margins},
     {"both", TemperatureLimits::both}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kHostVgpu = {
    {{"non_sriov", false}, {"sriov", true}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kPeers = {
    {{"gpu", false}, {"switch", true}}};

constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 50;
constexpr double kMaxWatts = 1e5;

// "{index}" becomes the GPU's index, "{hex}" the same in four hexadecimal digits.
std::string expand(std::string text, std::size_t index) {
  for (const auto& [mark, value] :
       {std::pair{std::string_view("{index}"), fmt::format("{}", index)},
        std::pair{std::string_view("{hex}"), fmt::format("{:04x}", index)}}) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

void parse_int(const MapView& map, std::string_view key, int& out, int lowest, int highest) {
  double value = out;
  map.number(key, value, lowest, highest);
  out = static_cast<int>(value);
}

void parse_memory(Reader& reader, const YamlNode& node, GpuSpec& spec) {
  constexpr std::array<std::string_view, 3> kKeys = {"total", "reserved", "bar1"};
  const MapView map(reader, node, kKeys);
  map.bytes("total", spec.memory, kMaxMemory);
  map.bytes("reserved", spec.memory_reserved, kMaxMemory);
  map.bytes("bar1", spec.bar1, kMaxMemory);
  if (spec.memory_reserved > spec.memory)
    reader.fail(node, "more memory is reserved than there is");
}

void parse_power(Reader& reader, const YamlNode& node, GpuSpec& spec) {
  constexpr std::array<std::string_view, 9> kKeys = {
      "idle", "busy", "limit", "min_limit", "averaged", "samples", "energy", "memory", "cap_at"};
  const MapView map(reader, node, kKeys);
  map.number("idle", spec.power_idle, 0, kMaxWatts);
  map.number("busy", spec.power_busy, 0, kMaxWatts);
  map.number("limit", spec.power_limit, 0, kMaxWatts);
  map.number("min_limit", spec.power_min_limit, 0, kMaxWatts);
  map.boolean("averaged", spec.power_averaged);
  map.boolean("samples", spec.power_samples);
  map.boolean("energy", spec.energy);
  map.boolean("memory", spec.memory_power);
  map.number("cap_at", spec.power_cap_at, 0, 2);
}

void parse_temperature(Reader& reader, const YamlNode& node, GpuSpec& spec) {
  constexpr std::array<std::string_view, 8> kKeys = {"idle",     "busy",     "memory",     "limits",
                                                     "shutdown", "slowdown", "memory_max", "max"};
  const MapView map(reader, node, kKeys);
  map.number("idle", spec.temperature_idle, -50, 200);
  map.number("busy", spec.temperature_busy, -50, 200);
  map.boolean("memory", spec.memory_temperature);
  map.choice("limits", spec.limits, kLimits);
  parse_int(map, "shutdown", spec.limit_shutdown, 0, 200);
  parse_int(map, "slowdown", spec.limit_slowdown, 0, 200);
  parse_int(map, "memory_max", spec.limit_memory, 0, 200);
  parse_int(map, "max", spec.limit_operating, 0, 200);
}

void parse_clocks(Reader& reader, const YamlNode& node, GpuSpec& spec) {
  constexpr std::array<std::string_view, 6> kKeys = {"graphics",    "graphics_idle", "memory",
                                                     "memory_idle", "video",         "video_idle"};
  const MapView map(reader, node, kKeys);
  map.integer("graphics", spec.clock_graphics, 100'000);
  map.integer("graphics_idle", spec.clock_graphics_idle, 100'000);
  map.integer("memory", spec.clock_memory, 100'000);
  map.integer("memory_idle", spec.clock_memory_idle, 100'000);
  map.integer("video", spec.clock_video, 100'000);
  map.integer("video_idle", spec.clock_video_idle, 100'000);
}

void parse_pcie(Reader& reader, const YamlNode& node, GpuSpec& spec) {
  constexpr std::array<std::string_view, 4> kKeys = {"generation", "idle_generation", "width",
                                                     "counters"};
  const MapView map(reader, node, kKeys);
  map.integer("generation", spec.pcie_generation, 16);
  map.integer("idle_generation", spec.pcie_idle_generation, 16);
  map.integer("width", spec.pcie_width, 32);
  map.boolean("counters", spec.pcie_counters);
}

void parse_nvlink(Reader& reader, const YamlNode& node, GpuSpec& spec) {
  constexpr std::array<std::string_view, 5> kKeys = {"links", "version", "link_rate", "peers",
                                                     "error_link"};
  const MapView map(reader, node, kKeys);
  map.integer("links", spec.nvlinks, abi::kMaxNvLinks);
  map.integer("version", spec.nvlink_version, 16);
  map.number("link_rate", spec.nvlink_link_rate, 0, 1e15);
  map.choice("peers", spec.nvlink_switched, kPeers);
  map.integer("error_link", spec.nvlink_error_link, abi::kMaxNvLinks - 1);
}

// "0000:18:00.0" or "00000000:18:00.0".
void parse_pci(Reader& reader, const YamlNode& node, std::size_t member, GpuSpec& spec) {
  const YamlNode* entry = &node;
  if (node.kind == YamlNode::Kind::sequence) {
    if (member >= node.children.size()) {
      reader.fail(node, "there are fewer PCI addresses than GPUs in this group");
      return;
    }
    entry = &reader.child(node, member);
  }
  std::string text;
  reader.text(*entry, text, 16);
  if (reader.failed()) return;
  const auto hex = [&text](std::size_t from, std::size_t length) {
    return from + length <= text.size() ? parse_unsigned("0x" + text.substr(from, length))
                                        : std::nullopt;
  };
  const auto colon = text.find(':');
  const auto domain = colon == std::string::npos ? std::nullopt : hex(0, colon);
  const auto bus = hex(colon + 1, 2);
  const auto device = hex(colon + 4, 2);
  if (!domain || !bus || !device || *device > 31 || text.substr(colon + 3, 1) != ":" ||
      text.substr(colon + 6) != ".0") {
    reader.fail(*entry, "this is not a PCI address", "write 0000:18:00.0");
    return;
  }
  spec.pci_domain = static_cast<unsigned>(*domain);
  spec.pci_bus = static_cast<unsigned>(*bus);
  spec.pci_device = static_cast<unsigned>(*device);
}

void parse_compute(Reader& reader, const YamlNode& node, GpuSpec& spec) {
  double version = 0;
  reader.number(node, version, 1, 99);
  spec.compute_major = static_cast<int>(version);
  spec.compute_minor = static_cast<int>(std::lround(version * 10) % 10);
}

void parse_identity(Reader& reader, const MapView& map, std::size_t index, std::size_t member,
                    GpuSpec& spec) {
  map.text("name", spec.name, abi::kNameBuffer - 1);
  map.choice("architecture", spec.architecture, kArchitectures);
  map.choice("brand", spec.brand, kBrands);
  if (const YamlNode* node = map.find("compute")) parse_compute(reader, *node, spec);
  spec.uuid = fmt::format("GPU-5a170000-7769-4172-9053-{:012x}", index);
  spec.serial = fmt::format("1650000{:06}", index);
  map.text("uuid", spec.uuid, abi::kUuidBuffer - 8);
  map.text("serial", spec.serial, abi::kSerialBuffer - 8);
  spec.uuid = expand(spec.uuid, index);
  spec.serial = expand(spec.serial, index);
  spec.pci_bus = 0x10 + 3 * static_cast<unsigned>(index);
  if (const YamlNode* node = map.find("pci")) parse_pci(reader, *node, member, spec);
  spec.minor = spec.module = static_cast<unsigned>(index);
  map.integer("minor", spec.minor, 255);
  map.integer("module", spec.module, 255);
  map.integer("pci_device_id", spec.pci_device_id, 0xffffffff);
  map.integer("pci_subsystem", spec.pci_subsystem_id, 0xffffffff);
  map.integer("numa_node", spec.numa_node, 63);
  map.text("vbios", spec.vbios, abi::kVbiosBuffer - 1);
  map.text("inforom", spec.inforom, abi::kInforomBuffer - 1);
  map.text("board_part", spec.board_part, abi::kPartNumberBuffer - 1);
  map.boolean("gsp", spec.gsp);
  map.boolean("persistence", spec.persistence);
  map.choice("virtualization", spec.virtualization, kVirtualization);
  map.choice("host_vgpu", spec.host_vgpu_sriov, kHostVgpu);
}

void parse_hardware(Reader& reader, const MapView& map, GpuSpec& spec) {
  if (const YamlNode* node = map.find("memory")) parse_memory(reader, *node, spec);
  if (const YamlNode* node = map.find("power")) parse_power(reader, *node, spec);
  if (const YamlNode* node = map.find("temperature")) parse_temperature(reader, *node, spec);
  if (const YamlNode* node = map.find("clocks")) parse_clocks(reader, *node, spec);
  if (const YamlNode* node = map.find("pcie")) parse_pcie(reader, *node, spec);
  if (const YamlNode* node = map.find("nvlink")) parse_nvlink(reader, *node, spec);
  map.integer("multiprocessors", spec.multiprocessors, 10'000);
  map.integer("idle_pstate", spec.idle_pstate, 15);
  map.integer("fans", spec.fans, 8);
  map.boolean("ecc", spec.ecc);
  map.boolean("row_remap", spec.row_remap);
  map.boolean("retired_pages", spec.retired_pages);
  map.integer("remap_banks", spec.remap_banks, 1'000'000);
  map.boolean("gpm", spec.gpm);
  map.boolean("fabric", spec.fabric);
  map.boolean("mig_capable", spec.mig_capable);
}

void parse_readings(Reader& reader, const YamlNode& node, Gpu& gpu, std::size_t& points) {
  const MapView map(reader, node, kReadingNames);
  const SignalRule rule{.load = &gpu.load};
  for (std::size_t i = 0; i < kReadingCount; ++i) {
    const YamlNode* value = map.find(kReadingNames[i]);
    if (value == nullptr) continue;
    gpu.readings[i] = std::make_unique<Signal>(parse_signal(reader, *value, rule, points));
  }
}

void parse_unsupported(Reader& reader, const YamlNode& list, Gpu& gpu) {
  if (!reader.sequence(list, 512)) return;
  for (std::size_t i = 0; i < list.children.size() && !reader.failed(); ++i) {
    const YamlNode& entry = reader.child(list, i);
    const std::string_view text = entry.text;
    const bool field = text.starts_with("field:");
    if (!field && !text.starts_with("gpm:")) {
      parse_functions(reader, entry, gpu.unsupported);
      continue;
    }
    const auto id = parse_unsigned(text.substr(field ? 6 : 4));
    if (!id || *id > 9999) {
      reader.fail(entry, "this is not an id", "write field:230 or gpm:3");
      return;
    }
    (field ? gpu.unsupported_fields : gpu.unsupported_gpm)
        .push_back(static_cast<std::uint16_t>(*id));
  }
}

// The load of the group's `member`: a list gives each its own, in turn.
void parse_load(Reader& reader, const MapView& map, std::size_t member, Gpu& gpu,
                std::size_t& points) {
  const YamlNode* node = map.find("load");
  if (node != nullptr && node->kind == YamlNode::Kind::sequence &&
      reader.sequence(*node, kMaxGpus)) {
    if (node->children.empty()) {
      reader.fail(*node, "the list of loads is empty");
      return;
    }
    node = &reader.child(*node, member % node->children.size());
  }
  const SignalRule rule{.lowest = 0, .highest = 1};
  if (node != nullptr) {
    gpu.load = parse_signal(reader, *node, rule, points);
    return;
  }
  constexpr double kMostSlices = 7;
  for (const MigInstance& mig : gpu.mig) gpu.load.add(mig.load, mig.compute_slices / kMostSlices);
}

void parse_gpu(Reader& reader, const YamlNode& node, const MapView& map, std::size_t member,
               Scenario& scenario, std::size_t& points) {
  std::string model = "h100";
  map.text("model", model, 64);
  const GpuSpec* base = find_model(model);
  if (base == nullptr) {
    reader.unknown(node, "model", model, model_names());
    return;
  }
  const std::size_t index = scenario.gpus.size();
  Gpu& gpu = scenario.gpus.emplace_back();
  gpu.spec = *base;
  parse_identity(reader, map, index, member, gpu.spec);
  parse_hardware(reader, map, gpu.spec);
  if (const YamlNode* mig = map.find("mig")) parse_mig(reader, *mig, index, gpu, points);
  gpu.mig_enabled = map.has("mig");
  parse_load(reader, map, member, gpu, points);
  if (const YamlNode* readings = map.find("readings"))
    parse_readings(reader, *readings, gpu, points);
  if (const YamlNode* list = map.find("unsupported")) parse_unsupported(reader, *list, gpu);
}

void check_distinct(Reader& reader, const YamlNode& node, const Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.gpus.size(); ++i) {
    const GpuSpec& a = scenario.gpus[i].spec;
    for (std::size_t j = 0; j < i; ++j) {
      const GpuSpec& b = scenario.gpus[j].spec;
      const bool same_place =
          a.pci_domain == b.pci_domain && a.pci_bus == b.pci_bus && a.pci_device == b.pci_device;
      if (a.uuid != b.uuid && !same_place) continue;
      reader.fail(
          node,
          fmt::format("GPUs {} and {} have the same {}", j, i, same_place ? "PCI address" : "uuid"),
          "give each its own, or use {index} in the pattern");
      return;
    }
  }
}

}  // namespace

void parse_gpus(Reader& reader, const YamlNode& node, Scenario& scenario) {
  if (!reader.sequence(node, kMaxGpus)) return;
  std::size_t points = 0;
  for (std::size_t i = 0; i < node.children.size() && !reader.failed(); ++i) {
    const YamlNode& group = reader.child(node, i);
    const MapView map(reader, group, kGpuKeys);
    std::size_t count = 1;
    map.integer("count", count, kMaxGpus);
    if (scenario.gpus.size() + count > kMaxGpus) {
      reader.fail(group, fmt::format("a scenario has at most {} GPUs", kMaxGpus));
    }
    for (std::size_t member = 0; member < count && !reader.failed(); ++member) {
      parse_gpu(reader, group, map, member, scenario, points);
    }
  }
  if (!reader.failed()) check_distinct(reader, node, scenario);
}

}  // namespace warpsight::simulate
