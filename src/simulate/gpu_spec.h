// What a GPU model is: the constants of a simulated device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sources/nvml/abi.h"

namespace warpsight::simulate {

enum class TemperatureLimits { absolute, margins, both };

struct GpuSpec {
  std::string name;
  unsigned architecture = nvml::abi::architecture::kHopper;
  unsigned brand = nvml::abi::brand::kNvidia;
  int compute_major = 9, compute_minor = 0;

  // Identity; uuid, serial and pci are filled in for each GPU of a group.
  std::string uuid, serial;
  unsigned pci_domain = 0, pci_bus = 0, pci_device = 0;
  unsigned minor = 0, module = 0;
  unsigned pci_device_id = 0, pci_subsystem_id = 0;
  unsigned numa_node = 0;
  std::string vbios, inforom, board_part;
  bool gsp = true;
  bool persistence = true;
  nvml::abi::VirtualizationMode virtualization = nvml::abi::VirtualizationMode::none;
  bool host_vgpu_sriov = true;

  std::uint64_t memory = 0, memory_reserved = 0, bar1 = 0;
  unsigned multiprocessors = 0;

  double power_idle = 0, power_busy = 0, power_limit = 0, power_min_limit = 0;
  bool power_averaged = true;  // the power getter gives a one-second mean
  bool power_samples = true;
  bool energy = true;
  bool memory_power = false;

  double temperature_idle = 0, temperature_busy = 0;
  bool memory_temperature = true;
  TemperatureLimits limits = TemperatureLimits::both;
  int limit_shutdown = 0, limit_slowdown = 0, limit_memory = 0, limit_operating = 0;

  unsigned clock_graphics_idle = 0, clock_graphics = 0, clock_memory_idle = 0, clock_memory = 0,
           clock_video_idle = 0, clock_video = 0;
  unsigned idle_pstate = 0;
  double power_cap_at = 0.97;  // load above which the software power cap holds clocks down

  unsigned fans = 0;
  bool ecc = true, row_remap = true, retired_pages = false;
  unsigned remap_banks = 0;
  unsigned pcie_generation = 5, pcie_idle_generation = 5, pcie_width = 16;
  bool pcie_counters = true;
  bool gpm = true;
  bool mig_capable = true;

  unsigned nvlinks = 0;
  unsigned nvlink_version = 0;
  double nvlink_link_rate = 0;  // bytes per second and direction, at most
  bool nvlink_switched = true;  // to a switch, not straight to other GPUs
  unsigned nvlink_error_link = 0;
  bool fabric = false;
};

// The models that a scenario can start from, by name.
std::span<const std::string_view> model_names();
// Null for a name that is not among them.
const GpuSpec* find_model(std::string_view name);

}  // namespace warpsight::simulate
