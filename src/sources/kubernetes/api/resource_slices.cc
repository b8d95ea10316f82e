#include "sources/kubernetes/api/resource_slices.h"

#include <algorithm>
#include <string>

namespace warpsight::kubernetes {
namespace {

using Form = DeviceName::Form;

constexpr size_t kLongestText = 253;

std::string_view vendor_of(std::string_view driver) {
  for (const std::string_view vendor : {"nvidia", "amd", "intel"}) {
    if (driver.find(vendor) != std::string_view::npos) return vendor;
  }
  return {};
}

// By a name that may be written with its domain: "gpu.nvidia.com/uuid" or "uuid".
Json attribute(Json attributes, std::string_view wanted) {
  Json found;
  attributes.for_each_member([&](std::string_view name, Json value) {
    const size_t slash = name.rfind('/');
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    if (name == wanted) found = value;
  });
  return found;
}

std::string text_attribute(Json attributes, std::string_view name) {
  const std::string_view text = attribute(attributes, name)["string"].text();
  return std::string(text.size() <= kLongestText ? text : std::string_view{});
}

std::string number_attribute(Json attributes, std::string_view name) {
  const auto number = attribute(attributes, name)["int"].integer();
  return number && *number >= 0 ? std::to_string(*number) : "";
}

// Intel's drivers name a device by its address and model: "0000-0f-00-0-0x1020".
std::string address_in(std::string_view name) {
  constexpr std::string_view kForm = "dddd-dd-dd-d-0x";
  if (name.size() <= kForm.size()) return {};
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = (name[i] >= '0' && name[i] <= '9') || (name[i] >= 'a' && name[i] <= 'f');
    if (kForm[i] == 'd' ? !digit : name[i] != kForm[i]) return {};
  }
  std::string address(name.substr(0, 12));
  address[4] = address[7] = ':';
  address[10] = '.';
  return address;
}

// The address as the kernel writes it: in small letters.
std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::string pci_address(std::string_view name, Json attributes) {
  for (const std::string_view key : {"pciBusID", "pciAddress", "pciAddr"}) {
    std::string text = lower_case(text_attribute(attributes, key));
    if (!text.empty()) return text;
  }
  return address_in(name);
}

}  // namespace

std::optional<DeviceName> read_device(std::string_view driver, std::string_view name,
                                      Json attributes) {
  const std::string type = text_attribute(attributes, "type");
  const auto named = [&](Form form, std::string text) {
    return DeviceName{
        .form = form, .text = std::move(text), .vendor = std::string(vendor_of(driver))};
  };
  if (std::string uuid = text_attribute(attributes, "uuid"); !uuid.empty()) {
    return named(Form::uuid, std::move(uuid));
  }
  if (type == "mig") return std::nullopt;
  if (type == "amdgpu-partition") {
    std::string minor = number_attribute(attributes, "renderIndex");
    if (minor.empty()) return std::nullopt;
    return named(Form::minor, std::move(minor));
  }
  if (std::string pci = pci_address(name, attributes); !pci.empty()) {
    return named(Form::pci, std::move(pci));
  }
  if (std::string minor = number_attribute(attributes, "minor"); !minor.empty()) {
    return named(Form::minor, std::move(minor));
  }
  if (std::string index = number_attribute(attributes, "index"); !index.empty()) {
    return named(Form::index, std::move(index));
  }
  return std::nullopt;
}

void ResourceSlices::list_ends() {
  const auto erased =
      std::erase_if(slices_, [&](const auto& item) { return !listed_.contains(item.first); });
  if (erased > 0) ++changes_;
  listed_.clear();
}

void ResourceSlices::put(Json object) {
  const std::string_view name = object["metadata"]["name"].text();
  const Json spec = object["spec"];
  const std::string_view driver = spec["driver"].text();
  const std::string_view pool = spec["pool"]["name"].text();
  if (name.empty() || name.size() > kLongestText || driver.size() > kLongestText ||
      pool.size() > kLongestText) {
    return;
  }
  if (!slices_.contains(name) && slices_.size() >= kMostSlices) return;
  if (listed_.size() < kMostSlices) listed_.emplace(name);
  Slice slice{.driver = std::string(driver),
              .pool = std::string(pool),
              .generation = spec["pool"]["generation"].integer().value_or(0)};
  spec["devices"].for_each([&](Json device) {
    const std::string_view called = device["name"].text();
    if (called.empty() || called.size() > kLongestText || slice.devices.size() >= kMostDevices) {
      return;
    }
    // Up to v1beta1 the attributes lie one step deeper.
    const Json basic = device["basic"];
    auto read = read_device(driver, called, (basic.exists() ? basic : device)["attributes"]);
    if (read) slice.devices.emplace(called, std::move(*read));
  });
  const auto known = slices_.find(name);
  if (known != slices_.end() && known->second == slice) return;
  slices_.insert_or_assign(std::string(name), std::move(slice));
  ++changes_;
}

void ResourceSlices::remove(Json object) {
  const auto known = slices_.find(object["metadata"]["name"].text());
  if (known == slices_.end()) return;
  slices_.erase(known);
  ++changes_;
}

std::optional<DeviceName> ResourceSlices::device(std::string_view driver, std::string_view pool,
                                                 std::string_view device) const {
  const Slice* newest = nullptr;
  for (const auto& [name, slice] : slices_) {
    if (slice.driver != driver || slice.pool != pool || !slice.devices.contains(device)) continue;
    if (newest == nullptr || slice.generation > newest->generation) newest = &slice;
  }
  if (newest == nullptr) return std::nullopt;
  return newest->devices.find(device)->second;
}

}  // namespace warpsight::kubernetes
