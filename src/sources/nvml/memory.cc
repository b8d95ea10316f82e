#include "sources/nvml/memory.h"

#include <charconv>

namespace warpsight::nvml {

DeviceMemory::DeviceMemory(EntityId owner)
    : usage_{{Metric::gpu_memory_used, owner},
             {Metric::gpu_memory_free, owner},
             {Metric::gpu_memory_total, owner}},
      reserved_{{Metric::gpu_memory_reserved, owner}} {}

void DeviceMemory::read(Pass& pass, abi::Device device) {
  if (has_v2_) read_with_reservation(pass, device);
  if (!has_v2_) read_old_way(pass, device);
}

void DeviceMemory::read_with_reservation(Pass& pass, abi::Device device) {
  abi::MemoryV2 memory{};
  memory.version = abi::kMemoryV2;
  if (!pass.get_newer(has_v2_, usage_, pass.lib.nvmlDeviceGetMemoryInfo_v2, device, &memory))
    return;
  pass.add(usage_[0], static_cast<double>(memory.used));
  pass.add(usage_[1], static_cast<double>(memory.free));
  pass.add(usage_[2], static_cast<double>(memory.total));
  pass.add(reserved_[0], static_cast<double>(memory.reserved));
}

void DeviceMemory::read_old_way(Pass& pass, abi::Device device) {
  abi::Memory memory{};
  const bool read = pass.get(usage_, pass.lib.nvmlDeviceGetMemoryInfo, device, &memory);
  if (read || !usage_.wanted()) {
    pass.unsupported(reserved_,
                     "driver has only the old memory call, whose used figure includes "
                     "what the driver reserves");
  }
  if (!read) return;
  pass.add(usage_[0], static_cast<double>(memory.used));
  pass.add(usage_[1], static_cast<double>(memory.free));
  pass.add(usage_[2], static_cast<double>(memory.total));
}

void Bar1::read(Pass& pass) {
  abi::Bar1Memory bar1{};
  if (pass.get(used_, pass.lib.nvmlDeviceGetBAR1MemoryInfo, pass.handle, &bar1)) {
    pass.add(used_[0], static_cast<double>(bar1.used));
  }
}

UnifiedMemory::UnifiedMemory(EntityId gpu)
    : node_{{Metric::gpu_memory_unified_used, gpu}, {Metric::gpu_memory_unified_total, gpu}} {}

void UnifiedMemory::read(Pass& pass) {
  if (pass.lib.simulated()) return;
  if (!meminfo_) {
    unsigned node = 0;
    if (!pass.get(node_, pass.lib.nvmlDeviceGetNumaNodeId, pass.handle, &node)) return;
    meminfo_.emplace(under_root(
        pass.context.root, "/sys/devices/system/node/node" + std::to_string(node) + "/meminfo"));
  }
  const auto text = meminfo_->read(buffer_);
  const auto memory = text ? parse_node_meminfo(*text) : std::nullopt;
  if (!memory) {
    node_.absent(Absence::failed, "the GPU's NUMA node has no meminfo", pass.out);
    return;
  }
  node_.succeeded();
  pass.add(node_[0], memory->used);
  pass.add(node_[1], memory->total);
}

std::optional<NodeMemory> parse_node_meminfo(std::string_view text) {
  const auto kibibytes = [text](std::string_view key) -> std::optional<double> {
    size_t at = text.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    at = text.find_first_not_of(' ', at + key.size());
    if (at == std::string_view::npos) return std::nullopt;
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    return static_cast<double>(value);
  };
  const auto total = kibibytes("MemTotal:");
  const auto free = kibibytes("MemFree:");
  if (!total || !free || *free > *total) return std::nullopt;
  return NodeMemory{1024 * *total, 1024 * (*total - *free)};
}

}  // namespace warpsight::nvml
