#include "analysis/hardware_names.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {
namespace {

// A metric that is the same thing by another name. What tells its series apart is either constant
// or follows from an attribute of ours.
struct Copy {
  Metric from;
  Metric to;
  std::string_view key = {};
  std::string_view our_key = {};
  std::string_view constant = {};
};

constexpr Copy kCopies[] = {
    {Metric::gpu_utilization, Metric::hw_gpu_utilization, "hw.gpu.task", {}, "general"},
    {Metric::gpu_encode_utilization, Metric::hw_gpu_utilization, "hw.gpu.task", {}, "encoder"},
    {Metric::gpu_decode_utilization, Metric::hw_gpu_utilization, "hw.gpu.task", {}, "decoder"},
    {Metric::gpu_memory_used, Metric::hw_gpu_memory_usage},
    {Metric::gpu_memory_total, Metric::hw_gpu_memory_limit},
    {Metric::gpu_pcie_io, Metric::hw_gpu_io, "network.io.direction", "gpu.interconnect.direction"},
    {Metric::gpu_energy_consumption, Metric::hw_energy},
    {Metric::gpu_power_draw, Metric::hw_power},
    {Metric::gpu_xid_errors, Metric::hw_errors, "error.type", "gpu.xid.code"},
    {Metric::gpu_temperature, Metric::hw_temperature, "hw.sensor_location",
     "gpu.temperature.sensor"},
    {Metric::gpu_temperature_limit, Metric::hw_temperature_limit, "hw.limit_type",
     "gpu.temperature.threshold"},
    {Metric::gpu_fan_speed, Metric::hw_fan_speed_ratio, "hw.id", {}, "fan"},
};
constexpr uint32_t kShareUse = std::size(kCopies);
constexpr uint32_t kErrorsUse = kShareUse + 1;

// Metrics of a GPU that are not zero when it needs care.
struct Symptom {
  Metric metric;
  HardwareNames::State state;
};
constexpr Symptom kSymptoms[] = {
    {Metric::gpu_row_remap_failure, HardwareNames::degraded},
    {Metric::gpu_recovery_action, HardwareNames::degraded},
    {Metric::gpu_row_remap_pending, HardwareNames::predicted_failure},
    {Metric::gpu_repair_pending, HardwareNames::predicted_failure},
    {Metric::gpu_ecc_sram_threshold_exceeded, HardwareNames::predicted_failure},
};

constexpr std::array<std::string_view, HardwareNames::state_count> kStateNames = {
    "ok", "degraded", "predicted_failure", "failed"};

std::string by_convention(std::string_view our_key, const std::string& value) {
  if (our_key == "gpu.xid.code") return "xid_" + value;
  if (value == "slowdown") return "throttled";
  if (value == "shutdown") return "critical";
  if (value == "max_operating") return "max";
  return value;
}

uint64_t key_of(uint32_t use, EntityId entity) { return (uint64_t{use} << 32) | entity.bits; }

}  // namespace

void HardwareNames::run(const View& view, Batch& out) {
  out.begin(view.now(), std::chrono::seconds{1});
  begin(view, out);
  copy_values(view, out);
  memory_share(view, out);
  judge(view);
  add_up_errors(view);
  tell_errors_and_states(out);
  end_unseen(out);
}

// A GPU whose gpu.info is new is known by more, and so becomes another thing.
void HardwareNames::begin(const View& view, Batch& out) {
  for (auto& [bits, device] : devices_) {
    device.seen = false;
    device.state = ok;
    device.corrected.known = device.uncorrected.known = false;
    device.corrected.value = device.uncorrected.value = 0;
  }
  view.for_each(Metric::gpu_info, [&](const Series& s) {
    const EntityId gpu = entities_.ancestor(s.entity, EntityKind::gpu);
    if (!gpu) return;
    Device& device = devices_[gpu.bits];
    device.seen = true;
    if (device.info == s.entity) return;
    const EntityId entity = make_entity(gpu, s.entity);
    if (device.entity && !(device.entity == entity)) {
      out.gone.push_back(device.entity);
      targets_.clear();
    }
    device = Device{};
    device.info = s.entity;
    device.entity = entity;
    device.seen = true;
  });
}

HardwareNames::Device* HardwareNames::device_of(EntityId source) {
  if (!source) return nullptr;
  Device& device = devices_[source.bits];
  if (!device.entity) device.entity = make_entity(source, kNoEntity);
  device.seen = true;
  return device.entity ? &device : nullptr;
}

EntityId HardwareNames::make_entity(EntityId source, EntityId info) const {
  const std::string mig = entities_.attribute(source, "gpu.mig.uuid");
  const std::string gpu = entities_.attribute(source, "gpu.uuid");
  const std::string pci = entities_.attribute(source, ".pci");
  const std::string model = entities_.attribute(source, "gpu.model");
  const std::string vendor = entities_.attribute(source, "gpu.vendor");
  const std::string serial = entities_.attribute(info, "gpu.serial");
  const std::string driver = entities_.attribute(info, "gpu.driver.version");
  const std::string simulated = entities_.attribute(source, "simulated");
  const std::string_view own = gpu.empty() ? std::string_view(pci) : std::string_view(gpu);
  const bool is_mig = !mig.empty();

  std::vector<AttributeView> attributes;
  for (const AttributeView& a :
       {AttributeView{"hw.id", is_mig ? std::string_view(mig) : own},
        AttributeView{"hw.name", model}, AttributeView{"hw.parent", is_mig ? own : ""},
        AttributeView{"hw.vendor", vendor}, AttributeView{"hw.model", model},
        AttributeView{"hw.serial_number", serial}, AttributeView{"hw.driver_version", driver},
        AttributeView{"simulated", simulated}}) {
    if (!a.value.empty()) attributes.push_back(a);
  }
  const bool named = !attributes.empty() && attributes.front().key == "hw.id";
  return named ? entities_.intern(EntityKind::facet, kNoEntity, attributes) : kNoEntity;
}

EntityId HardwareNames::part(const Device& device, std::string_view key,
                             std::string_view value) const {
  if (key.empty()) return device.entity;
  if (key != "hw.id") return entities_.intern(EntityKind::facet, device.entity, {{key, value}});
  // A component of its own inside the device.
  const std::string owner = entities_.attribute(device.entity, "hw.id");
  return entities_.intern(
      EntityKind::facet, device.entity,
      {{"hw.id", owner + ":" + std::string(value)}, {"hw.name", value}, {"hw.parent", owner}});
}

template <typename Make>
const HardwareNames::Target& HardwareNames::target_of(uint32_t use, EntityId series_entity,
                                                      Make&& make) {
  const auto [found, is_new] = targets_.try_emplace(key_of(use, series_entity));
  Target& target = found->second;
  if (is_new) {
    const EntityId mig = entities_.ancestor(series_entity, EntityKind::mig);
    target.source = mig ? mig : entities_.ancestor(series_entity, EntityKind::gpu);
    if (const Device* device = device_of(target.source)) make(*device, target);
  } else if (target.source) {
    device_of(target.source);
  }
  return target;
}

void HardwareNames::copy_values(const View& view, Batch& out) {
  for (uint32_t use = 0; use < std::size(kCopies); ++use) {
    const Copy& copy = kCopies[use];
    view.for_each(copy.from, [&](const Series& s) {
      const Target& target = target_of(use, s.entity, [&](const Device& device, Target& made) {
        const std::string value =
            copy.our_key.empty()
                ? std::string(copy.constant)
                : by_convention(copy.our_key, entities_.attribute(s.entity, copy.our_key));
        made.entity = part(device, copy.key, value);
      });
      if (target.entity) out.add(copy.to, target.entity, s.value);
    });
  }
}

void HardwareNames::memory_share(const View& view, Batch& out) {
  view.for_each(Metric::gpu_memory_used, [&](const Series& s) {
    const Series* total = view.find(Metric::gpu_memory_total, s.entity);
    if (total == nullptr || total->value <= 0) return;
    const Target& target = target_of(kShareUse, s.entity, [](const Device& device, Target& made) {
      made.entity = device.entity;
    });
    if (!target.entity) return;
    out.add(Metric::hw_gpu_memory_utilization, target.entity, s.value / total->value);
  });
}

void HardwareNames::note(EntityId series_entity, State state) {
  Device* device = device_of(entities_.ancestor(series_entity, EntityKind::gpu));
  if (device != nullptr) device->state = std::max(device->state, state);
}

void HardwareNames::judge(const View& view) {
  for (const Symptom& symptom : kSymptoms) {
    view.for_each(symptom.metric, [&](const Series& s) {
      if (s.value != 0) note(s.entity, symptom.state);
    });
  }
  // A GPU that is known and tells nothing of itself is lost.
  view.for_each(Metric::gpu_driver_responsive, [&](const Series& s) {
    Device* device = device_of(entities_.ancestor(s.entity, EntityKind::gpu));
    if (device == nullptr) return;
    const bool told = device->info && view.find(Metric::gpu_info, device->info) != nullptr;
    if (s.value == 0 || !told) device->state = failed;
  });
}

void HardwareNames::add_up_errors(const View& view) {
  view.for_each(Metric::gpu_ecc_errors, [&](const Series& s) {
    const Target& target = target_of(kErrorsUse, s.entity, [&](const Device&, Target& made) {
      const bool lifetime = entities_.attribute(s.entity, "gpu.ecc.count_type") == "aggregate";
      const bool bad = entities_.attribute(s.entity, "gpu.ecc.error_type") == "uncorrectable";
      if (lifetime) made.count = bad ? ErrorCount::uncorrected : ErrorCount::corrected;
      if (!lifetime && bad) made.count = ErrorCount::since_reset;
    });
    if (target.count == ErrorCount::none) return;
    Device* device = device_of(target.source);
    if (device == nullptr) return;
    if (target.count == ErrorCount::since_reset) {
      if (s.value > 0) device->state = std::max(device->state, degraded);
      return;
    }
    const bool bad = target.count == ErrorCount::uncorrected;
    Sum& sum = bad ? device->uncorrected : device->corrected;
    if (!sum.entity) sum.entity = part(*device, "error.type", bad ? "uncorrected" : "corrected");
    sum.value += s.value;
    sum.known = true;
  });
}

void HardwareNames::tell_errors_and_states(Batch& out) {
  for (auto& [bits, device] : devices_) {
    for (const Sum* sum : {&device.corrected, &device.uncorrected}) {
      if (sum->known && sum->entity) out.add(Metric::hw_errors, sum->entity, sum->value);
    }
    const bool is_gpu = entities_.ancestor(EntityId{bits}, EntityKind::mig) == kNoEntity;
    if (!device.seen || !device.entity || !is_gpu) continue;
    for (size_t state = 0; state < state_count; ++state) {
      EntityId& entity = device.states[state];
      if (!entity) entity = part(device, "hw.state", kStateNames[state]);
      if (entity) out.add(Metric::hw_status, entity, device.state == state ? 1 : 0);
    }
  }
}

void HardwareNames::end_unseen(Batch& out) {
  const size_t ended = std::erase_if(devices_, [&](const auto& item) {
    const Device& device = item.second;
    if (device.seen) return false;
    if (device.entity) out.gone.push_back(device.entity);
    return true;
  });
  if (ended > 0) targets_.clear();
}

}  // namespace warpsight
