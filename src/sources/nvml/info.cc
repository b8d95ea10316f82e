#include "sources/nvml/info.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "sources/nvml/text.h"

namespace warpsight::nvml {
namespace {

// Attributes gathered without the heap: the text stands in one buffer.
class Attributes {
 public:
  void add(std::string_view key, std::string_view value) {
    if (value.empty() || count_ == list_.size() || used_ + value.size() > text_.size()) return;
    value.copy(text_.data() + used_, value.size());
    list_[count_++] = {key, std::string_view(text_.data() + used_, value.size())};
    used_ += value.size();
  }
  void add(std::string_view key, int64_t value) {
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    if (error == std::errc{}) add(key, std::string_view(digits, static_cast<size_t>(end - digits)));
  }
  std::span<const AttributeView> view() const { return {list_.data(), count_}; }

 private:
  std::array<AttributeView, 24> list_{};
  std::array<char, 2048> text_{};
  size_t count_ = 0;
  size_t used_ = 0;
};

std::string_view on_off(abi::EnableState state) {
  return state == abi::EnableState::enabled ? "enabled" : "disabled";
}

std::string_view virtualization_name(abi::VirtualizationMode mode) {
  switch (mode) {
    case abi::VirtualizationMode::none: return "none";
    case abi::VirtualizationMode::passthrough: return "passthrough";
    case abi::VirtualizationMode::vgpu: return "vgpu";
    case abi::VirtualizationMode::host_vgpu: return "host_vgpu";
    case abi::VirtualizationMode::host_vsga: return "host_vsga";
  }
  return {};
}

// Of getters that fill (device, buffer, length), or (buffer, length) for the system's.
template <typename F, typename... A>
void add_text(Attributes& to, std::string_view key, const F& getter, A... before) {
  char text[abi::kNameBuffer] = {};
  if (getter(before..., text, static_cast<unsigned>(sizeof text)) == abi::Return::success) {
    to.add(key, clean_text(text));
  }
}

void add_versions(const Pass& pass, Attributes& to) {
  const Library& lib = pass.lib;
  add_text(to, "gpu.driver.version", lib.nvmlSystemGetDriverVersion);
  int cuda = 0;
  if (lib.nvmlSystemGetCudaDriverVersion_v2(&cuda) == abi::Return::success ||
      lib.nvmlSystemGetCudaDriverVersion(&cuda) == abi::Return::success) {
    char version[32];
    const int length =
        std::snprintf(version, sizeof version, "%d.%d", cuda / 1000, cuda % 1000 / 10);
    to.add("gpu.cuda.version", std::string_view(version, static_cast<size_t>(length)));
  }
  add_text(to, "gpu.nvml.version", lib.nvmlSystemGetNVMLVersion);
  add_text(to, "gpu.vbios.version", lib.nvmlDeviceGetVbiosVersion, pass.handle);
  char gsp[abi::kGspFirmwareBuffer] = {};
  if (lib.nvmlDeviceGetGspFirmwareVersion(pass.handle, gsp) == abi::Return::success) {
    to.add("gpu.gsp.version", clean_text(gsp));
  }
  add_text(to, "gpu.inforom.version", lib.nvmlDeviceGetInforomImageVersion, pass.handle);
}

void add_identity(const Pass& pass, Attributes& to) {
  const Library& lib = pass.lib;
  add_text(to, "gpu.serial", lib.nvmlDeviceGetSerial, pass.handle);
  add_text(to, "gpu.board.part_number", lib.nvmlDeviceGetBoardPartNumber, pass.handle);
  unsigned number = 0;
  if (lib.nvmlDeviceGetMinorNumber(pass.handle, &number) == abi::Return::success) {
    to.add("gpu.minor_number", int64_t{number});
  }
  if (lib.nvmlDeviceGetArchitecture(pass.handle, &number) == abi::Return::success) {
    to.add("gpu.architecture", architecture_name(number));
  }
  int major = 0;
  int minor = 0;
  if (lib.nvmlDeviceGetCudaComputeCapability(pass.handle, &major, &minor) == abi::Return::success) {
    char capability[32];
    const int length = std::snprintf(capability, sizeof capability, "%d.%d", major, minor);
    to.add("gpu.compute_capability", std::string_view(capability, static_cast<size_t>(length)));
  }
}

void add_modes(const Pass& pass, Attributes& to) {
  const Library& lib = pass.lib;
  unsigned current = 0;
  unsigned pending = 0;
  if (lib.nvmlDeviceGetMigMode(pass.handle, &current, &pending) == abi::Return::success) {
    to.add("gpu.mig.mode", current != 0 ? "enabled" : "disabled");
  }
  auto state = abi::EnableState::disabled;
  if (lib.nvmlDeviceGetPersistenceMode(pass.handle, &state) == abi::Return::success) {
    to.add("gpu.persistence_mode", on_off(state));
  }
  auto pending_state = abi::EnableState::disabled;
  if (lib.nvmlDeviceGetEccMode(pass.handle, &state, &pending_state) == abi::Return::success) {
    to.add("gpu.ecc.mode", on_off(state));
  }
  auto mode = abi::VirtualizationMode::none;
  if (lib.nvmlDeviceGetVirtualizationMode(pass.handle, &mode) == abi::Return::success) {
    to.add("gpu.virtualization.mode", virtualization_name(mode));
  }
  auto host = abi::HostVgpuMode::non_sriov;
  if (mode == abi::VirtualizationMode::host_vgpu &&
      lib.nvmlDeviceGetHostVgpuMode(pass.handle, &host) == abi::Return::success) {
    to.add("gpu.virtualization.host_mode",
           host == abi::HostVgpuMode::sriov ? "sriov" : "non_sriov");
  }
}

// The first NUMA node with memory near the GPU, for where sysfs cannot be asked.
void add_nearest_node(const Pass& pass, Attributes& to) {
  constexpr unsigned kScopeNode = 0;
  unsigned long nodes[2] = {};
  if (pass.lib.nvmlDeviceGetMemoryAffinity(pass.handle, 2, nodes, kScopeNode) !=
      abi::Return::success) {
    return;
  }
  for (int64_t node = 0; node < 128; ++node) {
    if (((nodes[node / 64] >> (node % 64)) & 1U) == 0) continue;
    to.add("gpu.numa_node", node);
    return;
  }
}

}  // namespace

std::string_view architecture_name(unsigned architecture) {
  switch (architecture) {
    case abi::architecture::kKepler: return "Kepler";
    case abi::architecture::kMaxwell: return "Maxwell";
    case abi::architecture::kPascal: return "Pascal";
    case abi::architecture::kVolta: return "Volta";
    case abi::architecture::kTuring: return "Turing";
    case abi::architecture::kAmpere: return "Ampere";
    case abi::architecture::kAda: return "Ada Lovelace";
    case abi::architecture::kHopper: return "Hopper";
    case abi::architecture::kBlackwell: return "Blackwell";
    case abi::architecture::kRubin: return "Rubin";
    default: return {};
  }
}

Info::Info(EntityId gpu, std::string_view pci, std::string_view numa_node)
    : gpu_(gpu), pci_(pci), numa_node_(numa_node) {}

void Info::read(Pass& pass) {
  Attributes attributes;
  add_versions(pass, attributes);
  attributes.add("gpu.pci.address", pci_);
  add_identity(pass, attributes);
  add_modes(pass, attributes);
  if (numa_node_.empty()) {
    add_nearest_node(pass, attributes);
  } else {
    attributes.add("gpu.numa_node", numa_node_);
  }
  become(pass.context.entities, attributes.view(), pass.out);
}

void Info::say(Batch& out) const {
  if (entity_) out.add(Metric::gpu_info, entity_, 1);
}

void Info::add_suspended(const SourceContext& context, Batch& out) {
  Attributes attributes;
  attributes.add("gpu.pci.address", pci_);
  attributes.add("gpu.power.runtime_status", "suspended");
  attributes.add("gpu.numa_node", numa_node_);
  become(context.entities, attributes.view(), out);
  say(out);
}

void Info::become(EntityTable& entities, std::span<const AttributeView> attributes, Batch& out) {
  const EntityId entity = entities.intern(EntityKind::facet, gpu_, attributes);
  if (!(entity == entity_)) retire(out);
  entity_ = entity;
}

void Info::retire(Batch& out) {
  if (entity_) out.gone.push_back(entity_);
  entity_ = kNoEntity;
}

}  // namespace warpsight::nvml
