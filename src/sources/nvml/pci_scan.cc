#include "sources/nvml/pci_scan.h"

#include <algorithm>

#include "sources/nvml/text.h"
#include "sources/sysfs/text.h"

namespace warpsight::nvml {
namespace {

bool is_nvidia(const pci::Gpu& gpu) { return gpu.vendor->name == "nvidia"; }

std::string read_word(const std::string& path) {
  const auto text = read_file(path, 4096);
  return text ? std::string(trim(*text)) : std::string{};
}

std::string after_colon(std::string_view line) {
  std::string value(trim(line.substr(std::min(line.find(':') + 1, line.size()))));
  return std::string(clean_text(value));
}

}  // namespace

const std::vector<PciGpu>& PciScan::scan() {
  bus_.scan();
  gpus_.clear();
  for (const pci::Gpu& gpu : bus_.gpus()) {
    if (!is_nvidia(gpu) || gpu.driver != gpu.vendor->driver) continue;
    gpus_.push_back({gpu.address, suspended(sleep_of(gpu.address))});
  }
  return gpus_;
}

PciScan::Sleep& PciScan::sleep_of(std::string_view address) {
  const auto known = std::ranges::find(sleeps_, address, &Sleep::address);
  if (known != sleeps_.end()) return *known;
  const std::string power = bus_.path() + "/" + std::string(address) + "/power/";
  // "on" forbids suspending; where there is no such file nothing is known, so look.
  const bool possible = read_word(power + "control") != "on";
  return sleeps_.emplace_back(Sleep{std::string(address), possible,
                                    std::make_unique<FileReader>(power + "runtime_status")});
}

bool PciScan::suspended(Sleep& sleep) {
  if (!sleep.possible) return false;
  const auto status = sleep.status->read(buffer_);
  return status && status->starts_with("suspended");
}

bool PciScan::suspended(std::string_view address) {
  const auto known = std::ranges::find(sleeps_, address, &Sleep::address);
  return known != sleeps_.end() && suspended(*known);
}

std::string PciScan::numa_node(std::string_view address) const {
  const std::string node = read_word(bus_.path() + "/" + std::string(address) + "/numa_node");
  return node.starts_with('-') ? std::string{} : node;
}

bool has_nvidia_hardware(const std::string& root) {
  pci::Bus bus(root);
  bus.scan();
  return std::ranges::any_of(bus.gpus(),
                             [](const pci::Gpu& gpu) { return is_nvidia(gpu) && gpu.ours(); });
}

ProcInformation read_proc_information(const std::string& root, std::string_view address) {
  ProcInformation found;
  const auto text = read_file(
      under_root(root, "/proc/driver/nvidia/gpus/" + std::string(address) + "/information"));
  if (!text) return found;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (line.starts_with("Model:")) found.model = after_colon(line);
    if (line.starts_with("GPU UUID:")) found.uuid = after_colon(line);
    if (line.starts_with("Device Minor:")) found.minor = after_colon(line);
  }
  // The driver writes question marks for what it has not read yet.
  if (found.uuid.find('?') != std::string::npos) found.uuid.clear();
  if (found.model.find('?') != std::string::npos) found.model.clear();
  return found;
}

}  // namespace warpsight::nvml
