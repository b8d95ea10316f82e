#include "sources/nvml/inventory.h"

#include <algorithm>
#include <array>

#include "runtime/log.h"
#include "sources/nvml/text.h"

namespace warpsight::nvml {
namespace {

constexpr unsigned kMaxGpus = 256;

std::string index_address(unsigned index) { return "index:" + std::to_string(index); }

std::string read_address(const Library& lib, abi::Device handle, abi::Return& result) {
  abi::PciInfo pci{};
  result = lib.nvmlDeviceGetPciInfo_v3(handle, &pci);
  if (result == abi::Return::function_not_found) result = lib.nvmlDeviceGetPciInfo_v2(handle, &pci);
  if (result != abi::Return::success) return {};
  const std::string address = normal_pci_address(clean_text(pci.bus_id));
  return address.empty() ? normal_pci_address(clean_text(pci.bus_id_legacy)) : address;
}

bool is_driver_gone(abi::Return result) { return classify(result) == Outcome::driver_gone; }

}  // namespace

Inventory::Inventory(const SourceContext& context, const ReaderOptions& options, bool simulated)
    : context_(context),
      options_(options),
      simulated_(simulated),
      scan_(context.root),
      skip_(context.skip_devices) {}

bool Inventory::excluded(std::string_view address) const {
  const auto& only = context_.only_devices;
  return std::ranges::find(skip_, address) != skip_.end() ||
         (!only.empty() && std::ranges::find(only, address) == only.end());
}

bool Inventory::excluded_index(unsigned index) const {
  return std::ranges::find(skipped_indexes_, index) != skipped_indexes_.end() ||
         (!skip_.empty() && std::ranges::find(skip_, index_address(index)) != skip_.end());
}

void Inventory::admit(std::string_view address) {
  std::erase(skip_, address);
  skipped_indexes_.clear();
}

Gpu& Inventory::find_or_add(std::string_view address) {
  for (const auto& gpu : gpus_) {
    if (gpu->address == address) return *gpu;
  }
  gpus_.push_back(std::make_unique<Gpu>());
  gpus_.back()->address = address;
  return *gpus_.back();
}

Gpu* Inventory::find_index(unsigned index) {
  for (const auto& gpu : gpus_) {
    if (gpu->index == index && gpu->state != Gpu::State::unknown) return gpu.get();
  }
  return nullptr;
}

bool Inventory::all_asleep() {
  if (!context_.simulate.empty()) return false;
  const auto& found = scan_.scan();
  return !found.empty() && std::ranges::all_of(found, &PciGpu::suspended);
}

abi::Return Inventory::refresh(const Library& library, Batch& out) {
  for (const auto& gpu : gpus_) gpu->seen = false;
  const bool by_address = context_.simulate.empty() && !scan_.scan().empty();
  const abi::Return result =
      by_address ? refresh_by_address(library, out) : refresh_by_index(library, out);
  context_.trace.set_device("");
  if (result != abi::Return::success) return result;
  drop_unseen(library, out);
  std::ranges::sort(gpus_, {}, [](const auto& gpu) { return gpu->index; });
  expected_ = std::max(expected_, gpus_.size());
  return result;
}

void Inventory::note_sleepers(Batch& out) {
  unsigned index = 0;
  for (const PciGpu& found : scan_.last()) {
    const unsigned place = index++;
    if (!found.suspended || excluded(found.address)) continue;
    Gpu& gpu = find_or_add(found.address);
    if (gpu.state == Gpu::State::unknown) gpu.index = place;
    put_to_sleep(gpu, out);
  }
  expected_ = std::max(expected_, gpus_.size());
}

abi::Return Inventory::refresh_by_address(const Library& library, Batch& out) {
  unsigned place = 0;  // NVML numbers GPUs in the order of their addresses
  bool sleepers = false;
  for (const PciGpu& found : scan_.last()) {
    const unsigned index = place++;
    if (excluded(found.address)) continue;
    Gpu& gpu = find_or_add(found.address);
    gpu.seen = true;
    sleepers |= found.suspended;
    if (gpu.state == Gpu::State::unknown) gpu.index = index;
    if (found.suspended) {
      put_to_sleep(gpu, out);
      continue;
    }
    if (gpu.state == Gpu::State::present) continue;
    const abi::Return result = meet(library, gpu, out);
    if (is_driver_gone(result)) return result;
  }
  unsigned count = 0;
  if (!sleepers && library.nvmlDeviceGetCount_v2(&count) == abi::Return::success) {
    expected_ = std::max<size_t>(expected_, std::min(count, kMaxGpus));
  }
  return abi::Return::success;
}

abi::Return Inventory::meet(const Library& library, Gpu& gpu, Batch& out) {
  if (gpu.state == Gpu::State::lost && steady() < gpu.check_at) return abi::Return::success;
  context_.trace.set_device(gpu.address);
  abi::Device handle = nullptr;
  const abi::Return result = library.nvmlDeviceGetHandleByPciBusId_v2(gpu.address.c_str(), &handle);
  if (is_driver_gone(result)) return result;
  const bool was_met = static_cast<bool>(gpu.entity);
  if (result == abi::Return::success && (!was_met || answers(library, handle))) {
    attach(library, gpu, handle, out);
  } else if (was_met || classify(result) == Outcome::device_lost) {
    lose(gpu, library.word(result), out);
  } else if (gpu.state != Gpu::State::invisible) {
    gpu.state = Gpu::State::invisible;
    log_info("a GPU is not visible to this process",
             {{"pci", gpu.address}, {"driver", library.word(result)}});
  }
  return abi::Return::success;
}

abi::Return Inventory::refresh_by_index(const Library& library, Batch& out) {
  unsigned count = 0;
  const abi::Return result = library.nvmlDeviceGetCount_v2(&count);
  if (result != abi::Return::success) return result;
  count = std::min(count, kMaxGpus);
  expected_ = std::max<size_t>(expected_, count);
  for (unsigned index = 0; index < count; ++index) {
    const abi::Return looked = look_at_index(library, index, out);
    if (looked != abi::Return::success) return looked;
  }
  return abi::Return::success;
}

// Until the address of a GPU is known it goes by its index, so that a call that hangs here can
// still be told apart and skipped by the next probe.
abi::Return Inventory::look_at_index(const Library& library, unsigned index, Batch& out) {
  if (excluded_index(index)) return abi::Return::success;
  Gpu* known = find_index(index);
  if (known != nullptr && known->state == Gpu::State::lost && steady() < known->check_at) {
    known->seen = true;
    return abi::Return::success;
  }
  const std::string unnamed = known == nullptr ? index_address(index) : std::string{};
  context_.trace.set_device(known == nullptr ? unnamed : known->address);
  abi::Device handle = nullptr;
  abi::Return result = library.nvmlDeviceGetHandleByIndex_v2(index, &handle);
  if (is_driver_gone(result)) return result;
  if (result == abi::Return::success && known != nullptr && known->handle == handle &&
      known->state == Gpu::State::present) {
    known->seen = true;
    return result;
  }
  std::string address;
  if (result == abi::Return::success) address = read_address(library, handle, result);
  if (is_driver_gone(result)) return result;
  if (handle == nullptr || classify(result) == Outcome::device_lost) {
    Gpu& gpu = known == nullptr ? find_or_add(unnamed) : *known;
    gpu.index = index;
    gpu.seen = true;
    lose(gpu, library.word(result), out);
    return abi::Return::success;
  }
  if (address.empty()) address = index_address(index);
  if (excluded(address)) {
    skipped_indexes_.push_back(index);
    return abi::Return::success;
  }
  context_.trace.set_device(address);
  Gpu& gpu = find_or_add(address);
  gpu.seen = true;
  gpu.index = index;
  if (gpu.state == Gpu::State::lost && !answers(library, handle)) {
    gpu.check_at = steady() + kCheckPeriod;
  } else if (gpu.state != Gpu::State::present || gpu.handle != handle) {
    attach(library, gpu, handle, out);
  }
  return abi::Return::success;
}

bool Inventory::answers(const Library& library, abi::Device handle) const {
  unsigned celsius = 0;
  const abi::Return result =
      library.nvmlDeviceGetTemperature(handle, abi::TemperatureSensor::gpu, &celsius);
  return result == abi::Return::success || classify(result) == Outcome::unsupported;
}

void Inventory::attach(const Library& library, Gpu& gpu, abi::Device handle, Batch& out) {
  char uuid[abi::kUuidBuffer] = {};
  char model[abi::kNameBuffer] = {};
  unsigned index = 0;
  if (library.nvmlDeviceGetUUID(handle, uuid, sizeof uuid) != abi::Return::success) uuid[0] = '\0';
  if (library.nvmlDeviceGetName(handle, model, sizeof model) != abi::Return::success) {
    model[0] = '\0';
  }
  if (library.nvmlDeviceGetIndex(handle, &index) == abi::Return::success) gpu.index = index;
  const bool was_lost = gpu.state == Gpu::State::lost;
  drop_readers(gpu, out);
  unsigned minor = 0;
  if (library.nvmlDeviceGetMinorNumber(handle, &minor) == abi::Return::success) {
    gpu.minor = std::to_string(minor);
  }
  set_entity(gpu, clean_text(uuid), clean_text(model), out);
  gpu.state = Gpu::State::present;
  gpu.handle = handle;
  const std::string numa_node = simulated_ ? std::string{} : scan_.numa_node(gpu.address);
  gpu.readers = std::make_unique<Readers>(
      library, context_.entities,
      Readers::Identity{gpu.entity, gpu.uuid, gpu.address, numa_node, gpu.index}, options_);
  if (was_lost) tell(gpu, "gpu.back", Severity::info, "the GPU answers again", out);
}

void Inventory::set_entity(Gpu& gpu, std::string_view uuid, std::string_view model, Batch& out) {
  const std::string index = std::to_string(gpu.index);
  const std::string_view pci =
      gpu.address.starts_with("index:") ? std::string_view{} : std::string_view(gpu.address);
  std::array<AttributeView, 7> attributes;
  size_t count = 0;
  for (const AttributeView attribute :
       {AttributeView{"gpu.index", index}, AttributeView{"gpu.uuid", uuid},
        AttributeView{"gpu.model", model}, AttributeView{"gpu.vendor", "nvidia"},
        AttributeView{"simulated", simulated_ ? "true" : ""}, AttributeView{".pci", pci},
        AttributeView{".minor", gpu.minor}}) {
    if (!attribute.value.empty()) attributes[count++] = attribute;
  }
  const EntityId entity =
      context_.entities.intern(EntityKind::gpu, kNoEntity, std::span(attributes.data(), count));
  if (gpu.entity && !(gpu.entity == entity)) out.gone.push_back(gpu.entity);
  gpu.entity = entity;
  gpu.uuid = uuid;
}

void Inventory::drop_readers(Gpu& gpu, Batch& out) {
  if (gpu.readers) gpu.readers->retire(out);
  gpu.readers.reset();
  if (gpu.info) gpu.info->retire(out);
  gpu.info.reset();
}

void Inventory::lose(Gpu& gpu, std::string_view why, Batch& out) {
  gpu.check_at = steady() + kCheckPeriod;
  if (gpu.state == Gpu::State::lost) return;
  drop_readers(gpu, out);
  if (!gpu.entity) {
    const ProcInformation known = read_proc_information(context_.root, gpu.address);
    gpu.minor = known.minor;
    set_entity(gpu, known.uuid, known.model, out);
  }
  gpu.state = Gpu::State::lost;
  const std::string message = "the GPU does not answer: " + std::string(why);
  tell(gpu, "gpu.lost", Severity::error, message, out);
}

bool Inventory::fell_asleep(Gpu& gpu, Batch& out) {
  if (!context_.simulate.empty() || !scan_.suspended(gpu.address)) return false;
  put_to_sleep(gpu, out);
  return true;
}

void Inventory::put_to_sleep(Gpu& gpu, Batch& out) {
  if (gpu.state == Gpu::State::suspended) return;
  drop_readers(gpu, out);
  if (!gpu.entity) {
    const ProcInformation known = read_proc_information(context_.root, gpu.address);
    gpu.minor = known.minor;
    set_entity(gpu, known.uuid, known.model, out);
  }
  gpu.state = Gpu::State::suspended;
  gpu.handle = nullptr;
  gpu.check_at = steady();
  gpu.info.emplace(gpu.entity, gpu.address, scan_.numa_node(gpu.address));
}

void Inventory::forget_handles(Batch& out) {
  for (const auto& gpu : gpus_) {
    drop_readers(*gpu, out);
    gpu->handle = nullptr;
    if (gpu->state == Gpu::State::present) gpu->state = Gpu::State::unknown;
  }
}

// Neither the enumeration nor a direct question finds them: pulled out, or given to another driver.
void Inventory::drop_unseen(const Library& library, Batch& out) {
  std::erase_if(gpus_, [&](const std::unique_ptr<Gpu>& gpu) {
    if (gpu->seen || excluded(gpu->address)) return false;
    abi::Device handle = nullptr;
    context_.trace.set_device(gpu->address);
    if (library.nvmlDeviceGetHandleByPciBusId_v2(gpu->address.c_str(), &handle) ==
        abi::Return::success) {
      return false;
    }
    drop_readers(*gpu, out);
    tell(*gpu, "gpu.removed", Severity::info, "the GPU is not there any more", out);
    if (gpu->entity) out.gone.push_back(gpu->entity);
    return true;
  });
  context_.trace.set_device("");
}

void Inventory::tell(const Gpu& gpu, std::string_view name, Severity severity,
                     std::string_view message, Batch& out) const {
  out.events.push_back({context_.clock.now(),
                        std::string(name),
                        severity,
                        gpu.entity,
                        std::string(message),
                        {{"gpu.pci.address", gpu.address}}});
}

}  // namespace warpsight::nvml
