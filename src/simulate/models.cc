#include <algorithm>
#include <array>
#include <utility>

#include "simulate/gpu_spec.h"

namespace warpsight::simulate {
namespace {

namespace abi = nvml::abi;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

GpuSpec h100() {
  GpuSpec gpu;
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.pci_device_id = 0x233010de;
  gpu.pci_subsystem_id = 0x16c110de;
  gpu.vbios = "96.00.89.00.01";
  gpu.inforom = "G520.0200.00.05";
  gpu.board_part = "692-2G520-0200-000";
  gpu.memory = 81559 * kMiB;
  gpu.memory_reserved = 551 * kMiB;
  gpu.bar1 = 131072 * kMiB;
  gpu.multiprocessors = 132;
  gpu.power_idle = 70;
  gpu.power_busy = 690;
  gpu.power_limit = 700;
  gpu.power_min_limit = 200;
  gpu.memory_power = true;
  gpu.temperature_idle = 31;
  gpu.temperature_busy = 66;
  gpu.limit_shutdown = 95;
  gpu.limit_slowdown = 89;
  gpu.limit_memory = 95;
  gpu.limit_operating = 87;
  gpu.clock_graphics_idle = 345;
  gpu.clock_graphics = 1980;
  gpu.clock_memory_idle = gpu.clock_memory = 2619;
  gpu.clock_video_idle = 765;
  gpu.clock_video = 1545;
  gpu.remap_banks = 2560;
  gpu.nvlinks = 18;
  gpu.nvlink_version = 6;
  gpu.nvlink_link_rate = 25e9;
  gpu.fabric = true;
  return gpu;
}

GpuSpec h200() {
  GpuSpec gpu = h100();
  gpu.name = "NVIDIA H200";
  gpu.pci_device_id = 0x233510de;
  gpu.pci_subsystem_id = 0x18bf10de;
  gpu.vbios = "96.00.A5.00.1A";
  gpu.inforom = "G520.0282.02.02";
  gpu.board_part = "692-2G520-0282-001";
  gpu.memory = 150754820096;
  gpu.memory_reserved = 644939776;
  gpu.bar1 = 262144 * kMiB;
  gpu.power_idle = 78;
  gpu.temperature_idle = 33;
  gpu.clock_memory_idle = gpu.clock_memory = 3201;
  gpu.remap_banks = 3072;
  return gpu;
}

GpuSpec b200() {
  GpuSpec gpu = h200();
  gpu.name = "NVIDIA B200";
  gpu.architecture = abi::architecture::kBlackwell;
  gpu.compute_major = 10;
  gpu.pci_device_id = 0x290110de;
  gpu.pci_subsystem_id = 0x199910de;
  gpu.memory = 183359 * kMiB;
  gpu.multiprocessors = 148;
  gpu.power_idle = 140;
  gpu.power_busy = 985;
  gpu.power_limit = 1000;
  gpu.clock_graphics_idle = 120;
  gpu.clock_graphics = 1965;
  gpu.clock_memory_idle = gpu.clock_memory = 3996;
  gpu.nvlink_version = 7;
  gpu.nvlink_link_rate = 50e9;
  return gpu;
}

GpuSpec a100() {
  GpuSpec gpu;
  gpu.name = "NVIDIA A100-SXM4-80GB";
  gpu.architecture = abi::architecture::kAmpere;
  gpu.compute_major = 8;
  gpu.pci_device_id = 0x20b210de;
  gpu.pci_subsystem_id = 0x147f10de;
  gpu.vbios = "92.00.9E.00.01";
  gpu.inforom = "G506.0212.00.02";
  gpu.board_part = "692-2G506-0212-002";
  gpu.memory = 81920 * kMiB;
  gpu.memory_reserved = 631 * kMiB;
  gpu.bar1 = 131072 * kMiB;
  gpu.multiprocessors = 108;
  gpu.power_idle = 60;
  gpu.power_busy = 394;
  gpu.power_limit = 400;
  gpu.power_min_limit = 100;
  gpu.power_averaged = false;
  gpu.temperature_idle = 30;
  gpu.temperature_busy = 62;
  gpu.limits = TemperatureLimits::absolute;
  gpu.limit_shutdown = 95;
  gpu.limit_slowdown = 92;
  gpu.limit_memory = 95;
  gpu.limit_operating = 85;
  gpu.clock_graphics_idle = 210;
  gpu.clock_graphics = 1410;
  gpu.clock_memory_idle = gpu.clock_memory = 1593;
  gpu.clock_video_idle = 585;
  gpu.clock_video = 1275;
  gpu.remap_banks = 640;
  gpu.pcie_generation = gpu.pcie_idle_generation = 4;
  gpu.gpm = false;
  gpu.nvlinks = 12;
  gpu.nvlink_version = 4;
  gpu.nvlink_link_rate = 25e9;
  return gpu;
}

GpuSpec l4() {
  GpuSpec gpu = a100();
  gpu.name = "NVIDIA L4";
  gpu.architecture = abi::architecture::kAda;
  gpu.compute_minor = 9;
  gpu.pci_device_id = 0x27b810de;
  gpu.pci_subsystem_id = 0x16ca10de;
  gpu.vbios = "95.04.29.00.06";
  gpu.inforom = "G193.0200.00.01";
  gpu.board_part = "900-2G193-0000-000";
  gpu.memory = 23034 * kMiB;
  gpu.memory_reserved = 568 * kMiB;
  gpu.bar1 = 32768 * kMiB;
  gpu.multiprocessors = 58;
  gpu.power_idle = 13;
  gpu.power_busy = 71;
  gpu.power_limit = 72;
  gpu.power_min_limit = 40;
  gpu.power_averaged = true;
  gpu.temperature_idle = 35;
  gpu.temperature_busy = 74;
  gpu.memory_temperature = false;
  gpu.limits = TemperatureLimits::both;
  gpu.limit_operating = 85;
  gpu.clock_graphics = 2040;
  gpu.clock_memory_idle = 405;
  gpu.clock_memory = 6251;
  gpu.clock_video = 1770;
  gpu.idle_pstate = 8;
  gpu.remap_banks = 96;
  gpu.pcie_idle_generation = 1;
  gpu.mig_capable = false;
  gpu.nvlinks = 0;
  return gpu;
}

GpuSpec t4() {
  GpuSpec gpu = l4();
  gpu.name = "Tesla T4";
  gpu.architecture = abi::architecture::kTuring;
  gpu.brand = abi::brand::kNvidia;
  gpu.compute_major = 7;
  gpu.compute_minor = 5;
  gpu.pci_device_id = 0x1eb810de;
  gpu.pci_subsystem_id = 0x12a210de;
  gpu.vbios = "90.04.38.00.03";
  gpu.inforom = "G183.0200.00.02";
  gpu.board_part = "900-2G183-0000-001";
  gpu.gsp = false;
  gpu.memory = 15360 * kMiB;
  gpu.memory_reserved = 448 * kMiB;
  gpu.bar1 = 256 * kMiB;
  gpu.multiprocessors = 40;
  gpu.power_idle = 9;
  gpu.power_busy = 69;
  gpu.power_limit = 70;
  gpu.power_min_limit = 60;
  gpu.power_averaged = false;
  gpu.limits = TemperatureLimits::absolute;
  gpu.limit_shutdown = 96;
  gpu.limit_slowdown = 93;
  gpu.limit_memory = 0;
  gpu.limit_operating = 85;
  gpu.clock_graphics_idle = 300;
  gpu.clock_graphics = 1590;
  gpu.clock_memory = 5001;
  gpu.clock_video_idle = 540;
  gpu.clock_video = 1470;
  gpu.row_remap = false;
  gpu.retired_pages = true;
  gpu.pcie_generation = 3;
  gpu.pcie_counters = false;
  return gpu;
}

constexpr std::array<std::string_view, 6> kNames = {"a100", "b200", "h100", "h200", "l4", "t4"};

}  // namespace

std::span<const std::string_view> model_names() { return kNames; }

const GpuSpec* find_model(std::string_view name) {
  static const std::array<GpuSpec, kNames.size()> kModels = {a100(), b200(), h100(),
                                                             h200(), l4(),   t4()};
  const auto* const at = std::find(kNames.begin(), kNames.end(), name);
  return at == kNames.end() ? nullptr : &kModels[static_cast<std::size_t>(at - kNames.begin())];
}

}  // namespace warpsight::simulate
