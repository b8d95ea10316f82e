#include "sources/nvml/record_facts.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <utility>

#include "sources/nvml/record_readings.h"
#include "sources/nvml/text.h"

namespace warpsight::nvml {
namespace {

using abi::Return;

class Facts {
 public:
  Facts(const Library& lib, abi::Device device, std::string_view indent)
      : lib_(lib), device_(device), indent_(indent) {}

  std::string take() && { return std::move(text_); }

  void identity();
  void memory();
  void power();
  void temperature();
  void clocks();
  void reliability();
  void links();

 private:
  template <typename... A>
  void line(fmt::format_string<A...> format, A&&... arguments) {
    text_ += indent_;
    fmt::format_to(std::back_inserter(text_), format, std::forward<A>(arguments)...);
    text_ += '\n';
  }
  template <typename F>
  void text(std::string_view key, const F& getter) {
    char buffer[abi::kNameBuffer] = {};
    if (getter(device_, buffer, sizeof buffer) != Return::success) return;
    line("{}: {}", key, quoted(clean_text(buffer)));
  }
  template <typename F>
  unsigned number(const F& getter, unsigned otherwise = 0) {
    unsigned value = 0;
    return getter(device_, &value) == Return::success ? value : otherwise;
  }
  bool has_field(unsigned id) {
    double ignored = 0;
    return read_field(lib_, device_, id, 0, ignored) == Return::success;
  }
  double field(unsigned id, double otherwise) {
    double value = 0;
    return read_field(lib_, device_, id, 0, value) == Return::success ? value : otherwise;
  }
  unsigned limit(abi::TemperatureThreshold threshold) {
    unsigned celsius = 0;
    const Return result = lib_.nvmlDeviceGetTemperatureThreshold(device_, threshold, &celsius);
    return result == Return::success && celsius >= 30 && celsius <= 150 ? celsius : 0;
  }
  bool has_samples(abi::SamplingType type) {
    auto value_type = abi::ValueType::uint32;
    unsigned count = 0;
    return lib_.nvmlDeviceGetSamples(device_, type, 0, &value_type, &count, nullptr) ==
           Return::success;
  }

  const Library& lib_;
  abi::Device device_;
  std::string_view indent_;
  std::string text_;
};

constexpr std::array<std::pair<unsigned, std::string_view>, 9> kArchitectures = {
    {{abi::architecture::kMaxwell, "maxwell"},
     {abi::architecture::kPascal, "pascal"},
     {abi::architecture::kVolta, "volta"},
     {abi::architecture::kTuring, "turing"},
     {abi::architecture::kAmpere, "ampere"},
     {abi::architecture::kAda, "ada"},
     {abi::architecture::kHopper, "hopper"},
     {abi::architecture::kBlackwell, "blackwell"},
     {abi::architecture::kRubin, "rubin"}}};

// What the fake knows of a model stands for whatever is not recorded.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kModels = {{{"H200", "h200"},
                                                                                   {"H100", "h100"},
                                                                                   {"B200", "b200"},
                                                                                   {"A100", "a100"},
                                                                                   {"L4", "l4"},
                                                                                   {"T4", "t4"}}};

std::string_view virtualization(abi::VirtualizationMode mode) {
  switch (mode) {
    case abi::VirtualizationMode::passthrough: return "passthrough";
    case abi::VirtualizationMode::vgpu: return "vgpu";
    case abi::VirtualizationMode::host_vgpu: return "host_vgpu";
    case abi::VirtualizationMode::host_vsga: return "host_vsga";
    case abi::VirtualizationMode::none: break;
  }
  return "none";
}

std::string_view yes(bool value) { return value ? "true" : "false"; }

void Facts::identity() {
  char name[abi::kNameBuffer] = {};
  if (lib_.nvmlDeviceGetName(device_, name, sizeof name) == Return::success) {
    const std::string_view clean = clean_text(name);
    for (const auto& [part, model] : kModels) {
      if (clean.find(part) == std::string_view::npos) continue;
      line("model: {}", model);
      break;
    }
    line("name: {}", quoted(clean));
  }
  const unsigned architecture = number(lib_.nvmlDeviceGetArchitecture);
  for (const auto& [id, word] : kArchitectures) {
    if (id == architecture) line("architecture: {}", word);
  }
  int major = 0;
  int minor = 0;
  if (lib_.nvmlDeviceGetCudaComputeCapability(device_, &major, &minor) == Return::success) {
    line("compute: {}.{}", major, minor);
  }
  abi::PciInfo pci{};
  if (lib_.nvmlDeviceGetPciInfo_v3(device_, &pci) == Return::success) {
    line("pci: {}", quoted(normal_pci_address(clean_text(pci.bus_id))));
    line("pci_device_id: {:#x}", pci.pci_device_id);
    line("pci_subsystem: {:#x}", pci.pci_subsystem_id);
  }
  text("vbios", lib_.nvmlDeviceGetVbiosVersion);
  text("inforom", lib_.nvmlDeviceGetInforomImageVersion);
  text("board_part", lib_.nvmlDeviceGetBoardPartNumber);
  char gsp[abi::kGspFirmwareBuffer] = {};
  line("gsp: {}", yes(lib_.nvmlDeviceGetGspFirmwareVersion(device_, gsp) == Return::success));
  auto state = abi::EnableState::disabled;
  if (lib_.nvmlDeviceGetPersistenceMode(device_, &state) == Return::success) {
    line("persistence: {}", yes(state == abi::EnableState::enabled));
  }
  auto mode = abi::VirtualizationMode::none;
  if (lib_.nvmlDeviceGetVirtualizationMode(device_, &mode) == Return::success) {
    line("virtualization: {}", virtualization(mode));
  }
  unsigned current = 0;
  unsigned pending = 0;
  line("mig_capable: {}",
       yes(lib_.nvmlDeviceGetMigMode(device_, &current, &pending) == Return::success));
}

void Facts::memory() {
  abi::MemoryV2 memory{};
  memory.version = abi::kMemoryV2;
  if (lib_.nvmlDeviceGetMemoryInfo_v2(device_, &memory) != Return::success) return;
  abi::Bar1Memory bar1{};
  lib_.nvmlDeviceGetBAR1MemoryInfo(device_, &bar1);
  line("memory: {{total: {}, reserved: {}, bar1: {}}}", memory.total, memory.reserved, bar1.total);
}

void Facts::power() {
  unsigned lowest = 0;
  unsigned highest = 0;
  lib_.nvmlDeviceGetPowerManagementLimitConstraints(device_, &lowest, &highest);
  unsigned long long energy = 0;
  line("power: {{limit: {}, min_limit: {}, samples: {}, energy: {}}}",
       number(lib_.nvmlDeviceGetEnforcedPowerLimit) / 1000, lowest / 1000,
       yes(has_samples(abi::SamplingType::total_power)),
       yes(lib_.nvmlDeviceGetTotalEnergyConsumption(device_, &energy) == Return::success));
}

// Where only margins are known the limits follow from the die's temperature at this moment.
void Facts::temperature() {
  double shutdown = limit(abi::TemperatureThreshold::shutdown);
  double slowdown = limit(abi::TemperatureThreshold::slowdown);
  double most = limit(abi::TemperatureThreshold::gpu_max);
  const bool absolute = shutdown != 0 || slowdown != 0;
  abi::MarginTemperature margin{};
  margin.version = abi::kMarginTemperatureV1;
  const bool margins = lib_.nvmlDeviceGetMarginTemperature(device_, &margin) == Return::success;
  unsigned celsius = 0;
  lib_.nvmlDeviceGetTemperature(device_, abi::TemperatureSensor::gpu, &celsius);
  if (margins && !absolute) {
    most = static_cast<double>(celsius) + margin.celsius;
    shutdown = most - field(abi::field::kShutdownMargin, -8);
    slowdown = most - field(abi::field::kSlowdownMargin, -2);
  }
  line("temperature: {{memory: {}, limits: {}, shutdown: {}, slowdown: {}, max: {}}}",
       yes(field(abi::field::kMemoryTemperature, 0) > 0),
       margins && absolute ? "both" : (margins ? "margins" : "absolute"), shutdown, slowdown, most);
}

void Facts::clocks() {
  const auto highest = [this](abi::ClockType type) {
    unsigned megahertz = 0;
    lib_.nvmlDeviceGetMaxClockInfo(device_, type, &megahertz);
    return megahertz;
  };
  line("clocks: {{graphics: {}, memory: {}, video: {}}}", highest(abi::ClockType::graphics),
       highest(abi::ClockType::memory), highest(abi::ClockType::video));
  line("fans: {}", number(lib_.nvmlDeviceGetNumFans));
}

void Facts::reliability() {
  auto current = abi::EnableState::disabled;
  auto pending = abi::EnableState::disabled;
  line("ecc: {}", yes(lib_.nvmlDeviceGetEccMode(device_, &current, &pending) == Return::success &&
                      current == abi::EnableState::enabled));
  abi::RowRemapperHistogram banks{};
  const bool remap = lib_.nvmlDeviceGetRowRemapperHistogram(device_, &banks) == Return::success;
  line("row_remap: {}", yes(remap));
  if (remap) {
    line("remap_banks: {}", banks.max + banks.high + banks.partial + banks.low + banks.none);
  }
  unsigned pages = 0;
  const Return retired = lib_.nvmlDeviceGetRetiredPages(
      device_, abi::PageRetirementCause::double_bit, &pages, nullptr);
  line("retired_pages: {}",
       yes(retired == Return::success || retired == Return::insufficient_size));
}

void Facts::links() {
  line("pcie: {{generation: {}, width: {}, counters: {}}}",
       number(lib_.nvmlDeviceGetMaxPcieLinkGeneration, 1),
       number(lib_.nvmlDeviceGetMaxPcieLinkWidth, 1), yes(has_field(abi::field::kPcieTxBytes)));
  abi::GpmSupport gpm{};
  gpm.version = abi::kGpmSupportVersion;
  line("gpm: {}",
       yes(lib_.nvmlGpmQueryDeviceSupport(device_, &gpm) == Return::success && gpm.supported != 0));
  unsigned links = 0;
  unsigned version = 0;
  for (unsigned link = 0; link < abi::kMaxNvLinks; ++link) {
    auto state = abi::EnableState::disabled;
    if (lib_.nvmlDeviceGetNvLinkState(device_, link, &state) != Return::success) continue;
    ++links;
    lib_.nvmlDeviceGetNvLinkVersion(device_, link, &version);
  }
  line("nvlink: {{links: {}, version: {}}}", links, links == 0 ? 0 : version);
  abi::FabricInfoV3 fabric{};
  fabric.version = abi::kFabricInfoV3;
  line("fabric: {}", yes(lib_.nvmlDeviceGetGpuFabricInfoV(device_, &fabric) == Return::success &&
                         fabric.state != abi::fabric::kNotSupported));
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string record_facts(const Library& lib, abi::Device device, std::string_view indent) {
  Facts facts(lib, device, indent);
  facts.identity();
  facts.memory();
  facts.power();
  facts.temperature();
  facts.clocks();
  facts.reliability();
  facts.links();
  return std::move(facts).take();
}

}  // namespace warpsight::nvml
