#include "sinks/prometheus/dcgm_lines.h"

#include <algorithm>
#include <cmath>

#include "wire/number.h"

namespace warpsight {
namespace {

std::string_view value_of(std::span<const Attribute> attributes, std::string_view key) {
  const auto found = std::ranges::find(attributes, key, &Attribute::key);
  return found == attributes.end() ? std::string_view{} : std::string_view(found->value);
}

// The series' own attributes and the metric's constant ones, under one question.
class Facets {
 public:
  Facets(const EntityTable& entities, const Series& series)
      : entities_(entities), series_(series) {}

  std::string get(std::string_view key) const {
    std::string found;
    for_each_constant_attribute(row(series_.metric), [&](std::string_view k, std::string_view v) {
      if (k == key) found = v;
    });
    return found.empty() ? entities_.attribute(series_.entity, key) : found;
  }

  bool has_all(std::string_view wanted) const {
    bool all = true;
    for_each_token(wanted, ';', [&](std::string_view pair) {
      const size_t equals = pair.find('=');
      all = all && get(pair.substr(0, equals)) == pair.substr(equals + 1);
    });
    return all;
  }

 private:
  const EntityTable& entities_;
  const Series& series_;
};

// "0000:af:00.0" as NVML and DCGM print it: "00000000:AF:00.0".
std::string dcgm_bus_id(std::string address) {
  std::ranges::transform(address, address.begin(),
                         [](char c) { return c >= 'a' && c <= 'f' ? char(c - 'a' + 'A') : c; });
  const size_t domain = address.find(':');
  constexpr size_t kDomainDigits = 8;
  if (domain < kDomainDigits) address.insert(0, kDomainDigits - domain, '0');
  return address;
}

// 0.29 × 100 is 28.999999999999996; nobody wants to see that.
double tidy(double scaled) {
  constexpr double kDecimals = 1e6;
  return std::abs(scaled) < 1e9 ? std::nearbyint(scaled * kDecimals) / kDecimals : scaled;
}

double scaled(const DcgmRow& row, double value) {
  if (row.multiply == 1 && row.divide == 1) return value;
  return tidy(value * row.multiply / row.divide);
}

}  // namespace

DcgmLines::DcgmLines(const EntityTable& entities, std::span<const Attribute> resource)
    : entities_(entities), hostname_(value_of(resource, "host.name")) {}

void DcgmLines::forget_if_device_ended() {
  if (std::ranges::all_of(devices_, [&](const Device& d) { return entities_.alive(d.entity); })) {
    return;
  }
  devices_.clear();
  slots_.clear();
}

uint32_t DcgmLines::device_of(EntityId entity) {
  const EntityId gpu = entities_.ancestor(entity, EntityKind::gpu);
  const EntityId mig = entities_.ancestor(entity, EntityKind::mig);
  const EntityId device = mig ? mig : gpu;
  if (!gpu || entities_.ancestor(entity, EntityKind::process)) return kNoDevice;
  const std::string vendor = entities_.attribute(gpu, "gpu.vendor");
  if (!vendor.empty() && vendor != "nvidia") return kNoDevice;
  const auto known = std::ranges::find(devices_, device, &Device::entity);
  if (known != devices_.end()) return static_cast<uint32_t>(known - devices_.begin());
  devices_.push_back({device, gpu, kNoEntity, {}});
  relabel_ = true;
  return static_cast<uint32_t>(devices_.size() - 1);
}

void DcgmLines::learn(Slot& slot, const Series& series) {
  slot.birth = series.birth;
  slot.device = kNoDevice;
  slot.uses.clear();
  const Facets facets(entities_, series);
  const std::span<const DcgmRow> rows = dcgm_rows();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].metric != series.metric || !facets.has_all(rows[i].facets)) continue;
    const bool part = !rows[i].part.empty() && !facets.get(rows[i].part).empty();
    double weight = 1;
    if (series.metric == Metric::gpu_throttle_reason) {
      weight = static_cast<double>(dcgm_throttle_bit(facets.get("gpu.throttle.cause")));
    }
    slot.uses.push_back({i, part, weight});
  }
  const bool info = series.metric == Metric::gpu_info;
  if (!slot.uses.empty() || info) slot.device = device_of(series.entity);
  if (!info || slot.device == kNoDevice) return;
  devices_[slot.device].info = series.entity;
  relabel_ = true;
}

std::string DcgmLines::labels_of(const Device& device) const {
  const auto owner = std::ranges::find(devices_, device.gpu, &Device::entity);
  const EntityId info = owner == devices_.end() ? kNoEntity : owner->info;
  const auto gpu = [&](std::string_view key) { return entities_.attribute(device.gpu, key); };
  const auto known = [&](std::string_view key) { return entities_.attribute(info, key); };

  const std::string index = gpu("gpu.index");
  const std::string minor = known("gpu.minor_number");
  std::string out = "{";
  append_label(out, "gpu", index);
  append_label(out, "UUID", gpu("gpu.uuid"));
  const std::string pci = gpu(".pci");
  if (!pci.empty()) append_label(out, "pci_bus_id", dcgm_bus_id(pci));
  append_label(out, "device", "nvidia" + (minor.empty() ? index : minor));
  append_label(out, "modelName", gpu("gpu.model"));
  if (device.entity != device.gpu) {
    append_label(out, "GPU_I_PROFILE", entities_.attribute(device.entity, "gpu.mig.profile"));
    append_label(out, "GPU_I_ID", entities_.attribute(device.entity, "gpu.mig.instance_id"));
  }
  if (!hostname_.empty()) append_label(out, "Hostname", hostname_);
  const std::string driver = known("gpu.driver.version");
  if (!driver.empty()) append_label(out, "DCGM_FI_DRIVER_VERSION", driver);
  const std::string simulated = gpu("simulated");
  if (!simulated.empty()) append_label(out, "simulated", simulated);
  out += "} ";
  return out;
}

void DcgmLines::relabel() {
  for (Device& device : devices_) device.labels = labels_of(device);
  relabel_ = false;
}

void DcgmLines::render(const Snapshot& snapshot, PageFormat format, std::string& out) {
  forget_if_device_ended();
  if (slots_.size() < snapshot.series.size()) slots_.resize(snapshot.series.size());
  for (const Sample& sample : snapshot.samples) {
    Slot& slot = slots_[sample.series];
    const Series* series = snapshot.series_of(sample);
    if (series != nullptr && slot.birth != sample.birth) learn(slot, *series);
  }
  if (relabel_) relabel();

  cells_.assign(dcgm_rows().size() * devices_.size(), Cell{});
  for (const Sample& sample : snapshot.samples) {
    const Slot& slot = slots_[sample.series];
    if (slot.birth != sample.birth || slot.device == kNoDevice) continue;
    for (const Use& use : slot.uses) {
      Cell& cell = cells_[use.row * devices_.size() + slot.device];
      (use.part ? cell.parts : cell.whole) += sample.value * use.weight;
      (use.part ? cell.has_parts : cell.has_whole) = true;
    }
  }
  emit(format, out);
}

void DcgmLines::emit(PageFormat format, std::string& out) const {
  const std::span<const DcgmRow> rows = dcgm_rows();
  for (size_t r = 0; r < rows.size(); ++r) {
    bool headed = false;
    for (size_t d = 0; d < devices_.size(); ++d) {
      const Cell& cell = cells_[r * devices_.size() + d];
      if (!cell.has_whole && !cell.has_parts) continue;
      const double value = scaled(rows[r], cell.has_whole ? cell.whole : cell.parts);
      if (!std::isfinite(value)) continue;
      if (!headed) {
        // OpenMetrics has no counter whose name does not end in _total.
        const bool counter = rows[r].type == DcgmType::counter;
        const bool open = format == PageFormat::open_metrics;
        const std::string_view type = !counter ? "gauge" : open ? "unknown" : "counter";
        append_header(out, {rows[r].name, type, {}, rows[r].help}, format);
      }
      headed = true;
      out += rows[r].name;
      out += devices_[d].labels;
      append_number(out, value);
      out += '\n';
    }
  }
}

}  // namespace warpsight
