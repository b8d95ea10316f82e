#include "sources/kubernetes/device_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "sources/sysfs/text.h"

namespace warpsight::kubernetes {
namespace {

constexpr std::array<std::string_view, 4> kVendors = {"nvidia", "amd", "intel", "habana"};

struct Domain {
  std::string_view name;
  std::string_view vendor;
};

// Intel's other domains stand for other things: qat.intel.com, sgx.intel.com.
constexpr std::array<Domain, 5> kDomains = {{
    {"nvidia.com", "nvidia"},
    {"amd.com", "amd"},
    {"gpu.intel.com", "intel"},
    {"habana.ai", "habana"},
    {"gaudi.intel.com", "habana"},
}};

std::string_view vendor_of_domain(std::string_view domain) {
  for (const Domain& known : kDomains) {
    if (!domain.ends_with(known.name)) continue;
    const size_t rest = domain.size() - known.name.size();
    if (rest == 0 || domain[rest - 1] == '.') return known.vendor;
  }
  return {};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Takes `prefix` and the number after it off `text`.
std::optional<int> take_number(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  const std::string_view rest = text.substr(prefix.size());
  const auto end = std::ranges::find_if_not(rest, is_digit);
  const auto digits = static_cast<size_t>(end - rest.begin());
  const auto number = to_number<int>(rest.substr(0, digits));
  if (number) text = rest.substr(digits);
  return number;
}

// "::3" of NVIDIA's plugin, "/vgpu3" of Google's.
std::string_view without_share(std::string_view id) {
  for (const std::string_view mark : {"::", "/vgpu"}) {
    const size_t at = id.rfind(mark);
    if (at == std::string_view::npos) continue;
    if (to_number<uint32_t>(id.substr(at + mark.size()))) return id.substr(0, at);
  }
  return id;
}

// "8-4-4-4-12".
bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kShape, [](char c, char shape) {
    return shape == '-' ? c == '-' : is_alphanumeric(c);
  });
}

std::optional<DeviceName> by_uuid(std::string_view id) {
  constexpr size_t kPrefix = 4;
  constexpr size_t kUuid = 36;
  if (!id.starts_with("GPU-") && !id.starts_with("MIG-")) return std::nullopt;
  if (is_uuid(id.substr(kPrefix))) {
    return DeviceName{.form = DeviceName::Form::uuid, .text = std::string(id)};
  }
  // MIG-GPU-UUID/3/0, as drivers before 470 had it.
  if (!id.starts_with("MIG-GPU-")) return std::nullopt;
  const std::string_view gpu = id.substr(kPrefix, kPrefix + kUuid);
  std::string_view rest = id.substr(std::min(id.size(), kPrefix + kPrefix + kUuid));
  const auto gpu_instance = take_number(rest, "/");
  const auto compute_instance = take_number(rest, "/");
  if (!is_uuid(gpu.substr(kPrefix)) || !gpu_instance || !compute_instance || !rest.empty()) {
    return std::nullopt;
  }
  return DeviceName{.form = DeviceName::Form::uuid,
                    .text = std::string(gpu),
                    .gpu_instance = *gpu_instance,
                    .compute_instance = *compute_instance};
}

// "nvidia0", "nvidia0/gi1", "nvidia0/gi1/ci0".
std::optional<DeviceName> by_device_file(std::string_view id) {
  const auto minor = take_number(id, "nvidia");
  if (!minor) return std::nullopt;
  DeviceName device{.form = DeviceName::Form::minor, .text = std::to_string(*minor)};
  if (const auto instance = take_number(id, "/gi")) {
    device.gpu_instance = *instance;
    if (const auto part = take_number(id, "/ci")) device.compute_instance = *part;
  }
  if (!id.empty()) return std::nullopt;
  return device;
}

// "0000:1b:00.0", or with the eight digits that drivers give the domain.
std::optional<DeviceName> by_pci_address(std::string_view id) {
  constexpr std::string_view kShape = "xxxx:xx:xx.x";
  constexpr std::string_view kLongDomain = "0000";
  if (id.size() == kShape.size() + kLongDomain.size() && id.starts_with(kLongDomain)) {
    id.remove_prefix(kLongDomain.size());
  }
  const bool fits = std::ranges::equal(
      id, kShape, [](char c, char shape) { return shape == 'x' ? is_hex(c) : c == shape; });
  if (!fits) return std::nullopt;
  DeviceName device{.form = DeviceName::Form::pci, .text = std::string(id)};
  std::ranges::transform(device.text, device.text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return device;
}

// "card0-2": the third share of /dev/dri/card0.
std::optional<DeviceName> by_card(std::string_view id) {
  const auto minor = take_number(id, "card");
  if (!minor || (!id.empty() && (!take_number(id, "-") || !id.empty()))) return std::nullopt;
  return DeviceName{.form = DeviceName::Form::minor, .text = std::to_string(*minor)};
}

std::optional<DeviceName> by_index(std::string_view id) {
  const auto index = to_number<uint16_t>(id);
  if (!index) return std::nullopt;
  return DeviceName{.form = DeviceName::Form::index, .text = std::to_string(*index)};
}

// `numbered`: a plain number is the GPU's index.
std::optional<DeviceName> read_id(std::string_view vendor, std::string_view id, bool numbered) {
  std::optional<DeviceName> device = by_pci_address(id);
  if (vendor == "nvidia") {
    id = without_share(id);
    if (!device) device = by_uuid(id);
    if (!device) device = by_device_file(id);
  } else if (vendor == "intel" && !device) {
    device = by_card(id);
  }
  if (!device && numbered) device = by_index(id);
  if (device) device->vendor = vendor;
  return device;
}

// Elsewhere a number may be anything: KubeVirt's plugin gives numbers of IOMMU groups.
bool numbers_gpus(std::string_view resource) {
  const std::string_view name = resource.substr(resource.find('/') + 1);
  return name == "gpu" || name.starts_with("gpu.");
}

}  // namespace

Result<DeviceIds> DeviceIds::make(const Options::Map& resources) {
  DeviceIds ids;
  for (const auto& [resource, vendor] : resources) {
    if (std::ranges::find(kVendors, vendor) == kVendors.end()) {
      return fail(fmt::format("kubernetes: resources: unknown vendor '{}' of {}", vendor, resource),
                  "use nvidia, amd, intel or habana");
    }
    ids.own_[resource] = vendor;
  }
  return ids;
}

std::string_view DeviceIds::vendor(std::string_view resource) const {
  if (const auto own = own_.find(resource); own != own_.end()) return own->second;
  const size_t slash = resource.find('/');
  if (slash == std::string_view::npos) return {};
  return vendor_of_domain(resource.substr(0, slash));
}

std::optional<DeviceName> DeviceIds::device(std::string_view resource, std::string_view id) const {
  const std::string_view whose = vendor(resource);
  if (whose.empty()) return std::nullopt;
  if (id.find('=') != std::string_view::npos) return device_of_cdi(id);
  return read_id(whose, id, own_.contains(resource) || numbers_gpus(resource));
}

std::optional<DeviceName> device_of_cdi(std::string_view name) {
  const size_t slash = name.find('/');
  const size_t equals = name.find('=');
  if (slash == std::string_view::npos || equals == std::string_view::npos || equals < slash) {
    return std::nullopt;
  }
  const std::string_view vendor = vendor_of_domain(name.substr(0, slash));
  if (vendor.empty()) return std::nullopt;
  // "0:1" is the second MIG device of a GPU by count, which names none for long.
  return read_id(vendor, name.substr(equals + 1),
                 name.substr(slash + 1, equals - slash - 1) == "gpu");
}

}  // namespace warpsight::kubernetes
