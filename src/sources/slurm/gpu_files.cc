#include "sources/slurm/gpu_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <optional>

#include "platform/file.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr std::string_view kCapability = "nvidia-cap";
constexpr std::string_view kGpu = "nvidia";

std::string_view name_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_capability(std::string_view path) { return name_of(path).starts_with(kCapability); }

std::optional<unsigned> minor_of(const std::string& path, std::string_view prefix,
                                 std::string_view root) {
  const std::string_view name = name_of(path);
  if (!name.starts_with(prefix)) return std::nullopt;
  struct stat status{};
  if (::stat(under_root(root, path).c_str(), &status) == 0 && S_ISCHR(status.st_mode)) {
    return minor(status.st_rdev);
  }
  return to_number<unsigned>(name.substr(prefix.size()));
}

int number_after(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return -1;
  return to_number<int>(word.substr(prefix.size())).value_or(-1);
}

// "gpu0/gi1/ci0/access".
MigPlace parse_place(std::string_view text) {
  MigPlace place;
  while (!text.empty()) {
    const size_t slash = text.find('/');
    const std::string_view word = text.substr(0, slash);
    if (word.starts_with("gpu")) place.gpu_minor = number_after(word, "gpu");
    if (word.starts_with("gi")) place.gpu_instance = number_after(word, "gi");
    if (word.starts_with("ci")) place.compute_instance = number_after(word, "ci");
    text.remove_prefix(slash == std::string_view::npos ? text.size() : slash + 1);
  }
  return place;
}

Result<> take_capability(const std::string& path, std::string_view root,
                         std::string_view mig_minors, DeviceName& device) {
  const auto capability = minor_of(path, kCapability, root);
  const MigPlace place = capability ? find_mig_capability(mig_minors, *capability) : MigPlace{};
  if (place.gpu_instance < 0 || std::to_string(place.gpu_minor) != device.text ||
      (device.gpu_instance >= 0 && device.gpu_instance != place.gpu_instance)) {
    return fail(fmt::format("{} is no MIG instance of GPU {}", path, device.text));
  }
  device.gpu_instance = place.gpu_instance;
  if (place.compute_instance >= 0) device.compute_instance = place.compute_instance;
  return {};
}

}  // namespace

MigPlace find_mig_capability(std::string_view mig_minors, unsigned capability) {
  while (!mig_minors.empty()) {
    std::string_view line = next_line(mig_minors);
    const std::string_view place = next_word(line);
    if (to_number<unsigned>(next_word(line)) == capability) return parse_place(place);
  }
  return {};
}

Result<DeviceName> device_of(const GpuFiles& gpu, std::string_view root) {
  DeviceName device{.form = DeviceName::Form::minor, .text = {}, .vendor = "nvidia"};
  for (const std::string& file : gpu.files) {
    if (is_capability(file)) continue;
    const auto minor = minor_of(file, kGpu, root);
    if (!minor) return fail(fmt::format("{} is no NVIDIA GPU's device file", file));
    const std::string text = std::to_string(*minor);
    if (!device.text.empty() && device.text != text) {
      return fail(fmt::format("{} is of another GPU than the files before it", file));
    }
    device.text = text;
  }
  if (device.text.empty()) return fail("no GPU's device file among those of a resource");
  std::string mig_minors;
  for (const std::string& file : gpu.files) {
    if (!is_capability(file)) continue;
    if (mig_minors.empty()) {
      auto text = read_file(under_root(root, "/proc/driver/nvidia-caps/mig-minors"));
      if (!text) return tl::unexpected(text.error());
      mig_minors = std::move(*text);
    }
    if (auto taken = take_capability(file, root, mig_minors, device); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  return device;
}

}  // namespace warpsight::slurm
