#include "sources/nvml/mig.h"

#include <algorithm>
#include <array>

#include "sources/nvml/text.h"

namespace warpsight::nvml {
namespace {

constexpr unsigned kMaxInstances = 64;

// As NVIDIA names profiles, for drivers that leave them out of the instance's name.
std::string profile_of(const abi::DeviceAttributes& attributes) {
  std::string profile;
  if (attributes.compute_instance_slice_count != attributes.gpu_instance_slice_count) {
    profile = std::to_string(attributes.compute_instance_slice_count) + "c.";
  }
  const unsigned long long gigabytes = (attributes.memory_size_mb + 512) / 1024;
  return profile + std::to_string(attributes.gpu_instance_slice_count) + "g." +
         std::to_string(gigabytes) + "gb";
}

std::string read_profile(Pass& pass, abi::Device handle) {
  char name[abi::kNameBuffer] = {};
  if (pass.lib.nvmlDeviceGetName(handle, name, sizeof name) == abi::Return::success) {
    const std::string_view profile = mig_profile_in(clean_text(name));
    if (!profile.empty()) return std::string(profile);
  }
  abi::DeviceAttributes attributes{};
  if (pass.lib.nvmlDeviceGetAttributes_v2(handle, &attributes) != abi::Return::success) return {};
  return profile_of(attributes);
}

}  // namespace

std::string_view mig_profile_in(std::string_view device_name) {
  constexpr std::string_view kMarker = "MIG ";
  const size_t at = device_name.rfind(kMarker);
  return at == std::string_view::npos ? std::string_view{}
                                      : device_name.substr(at + kMarker.size());
}

Mig::Mig(EntityId gpu, std::string_view gpu_uuid, bool with_gpm)
    : gpu_(gpu), gpu_uuid_(gpu_uuid), with_gpm_(with_gpm) {}

void Mig::refresh(Pass& pass) {
  unsigned current = 0;
  unsigned pending = 0;
  const bool answered =
      pass.get(mode_, pass.lib.nvmlDeviceGetMigMode, pass.handle, &current, &pending);
  if (!answered && mode_.wanted()) return;  // failed now: what was known stays
  enabled_ = answered && current != 0;
  if (enabled_) {
    find_instances(pass);
  } else {
    retire(pass.out);
  }
}

void Mig::find_instances(Pass& pass) {
  unsigned most = 0;
  Reading reading;
  if (!pass.get(reading, pass.lib.nvmlDeviceGetMaxMigDeviceCount, pass.handle, &most)) return;
  for (Instance& instance : instances_) instance.seen = false;
  for (unsigned index = 0; index < std::min(most, kMaxInstances); ++index) {
    abi::Device handle = nullptr;
    const abi::Return result =
        pass.lib.nvmlDeviceGetMigDeviceHandleByIndex(pass.handle, index, &handle);
    if (result == abi::Return::success) {
      meet(pass, handle);
    } else if (classify(result) == Outcome::device_lost ||
               classify(result) == Outcome::driver_gone) {
      pass.settle(reading, result);
      return;
    }
  }
  std::erase_if(instances_, [&](Instance& instance) {
    if (!instance.seen) {
      instance.processes.retire(pass.out);
      pass.out.gone.push_back(instance.entity);
    }
    return !instance.seen;
  });
}

void Mig::meet(Pass& pass, abi::Device handle) {
  char buffer[abi::kUuidBuffer] = {};
  unsigned gpu_instance = 0;
  if (pass.lib.nvmlDeviceGetUUID(handle, buffer, sizeof buffer) != abi::Return::success ||
      pass.lib.nvmlDeviceGetGpuInstanceId(handle, &gpu_instance) != abi::Return::success) {
    return;
  }
  const std::string_view uuid = clean_text(buffer);
  bool measured = false;
  for (Instance& known : instances_) {
    if (known.uuid == uuid && known.gpu_instance == gpu_instance) {
      known.handle = handle;
      known.seen = true;
      return;
    }
    measured |= known.seen && known.gpm && known.gpu_instance == gpu_instance;
  }
  const EntityId entity = make_entity(pass, handle, gpu_instance, uuid);
  if (!entity) return;
  Instance instance{handle, gpu_instance,         std::string(uuid),   entity,
                    true,   DeviceMemory(entity), ProcessList(entity), nullptr};
  if (with_gpm_ && !measured) {
    instance.gpm = std::make_unique<Gpm>(pass.lib, pass.context.entities, entity, gpu_instance);
  }
  instances_.push_back(std::move(instance));
}

EntityId Mig::make_entity(Pass& pass, abi::Device handle, unsigned gpu_instance,
                          std::string_view uuid) {
  const std::string id = std::to_string(gpu_instance);
  const std::string profile = read_profile(pass, handle);
  unsigned number = 0;
  const std::string compute_instance =
      pass.lib.nvmlDeviceGetComputeInstanceId(handle, &number) == abi::Return::success
          ? std::to_string(number)
          : std::string();
  std::array<AttributeView, 5> attributes;
  size_t count = 0;
  for (const AttributeView attribute :
       {AttributeView{"gpu.mig.instance_id", id}, AttributeView{"gpu.mig.profile", profile},
        AttributeView{"gpu.mig.parent_uuid", gpu_uuid_}, AttributeView{"gpu.mig.uuid", uuid},
        AttributeView{".mig.ci", compute_instance}}) {
    if (!attribute.value.empty()) attributes[count++] = attribute;
  }
  return pass.context.entities.intern(EntityKind::mig, gpu_, std::span(attributes.data(), count));
}

void Mig::read_memory(Pass& pass) {
  for (Instance& instance : instances_) instance.memory.read(pass, instance.handle);
}

void Mig::read_activity(Pass& pass) {
  for (Instance& instance : instances_) {
    if (instance.gpm) instance.gpm->read(pass, false);
  }
}

void Mig::read_processes(Pass& pass) {
  for (Instance& instance : instances_) instance.processes.read(pass, instance.handle);
}

void Mig::retire(Batch& out) {
  for (Instance& instance : instances_) {
    instance.processes.retire(out);
    out.gone.push_back(instance.entity);
  }
  instances_.clear();
}

}  // namespace warpsight::nvml
