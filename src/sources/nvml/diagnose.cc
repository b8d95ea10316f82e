#include <fcntl.h>

#include <cerrno>
#include <filesystem>

#include "platform/fd.h"
#include "platform/file.h"
#include "sources/nvml/pci_scan.h"
#include "sources/nvml/source.h"

namespace warpsight::nvml {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDriverHint =
    "install NVIDIA's driver package for this kernel (on Debian: nvidia-driver), then modprobe "
    "nvidia";
constexpr const char* kContainerHint =
    "in a container, run with the NVIDIA runtime and NVIDIA_VISIBLE_DEVICES=all, "
    "NVIDIA_DRIVER_CAPABILITIES=utility";

Finding check_devices(const SourceContext& context) {
  PciScan scan(context.root);
  const size_t count = scan.scan().size();
  if (count == 0) {
    return {
        Finding::State::missing, "no NVIDIA GPU is bound to the nvidia kernel driver",
        "nothing to do on a machine without NVIDIA GPUs; else load the driver: modprobe nvidia"};
  }
  size_t asleep = 0;
  for (const PciGpu& gpu : scan.last()) asleep += gpu.suspended ? 1 : 0;
  std::string what = std::to_string(count) + " NVIDIA GPU(s) bound to the nvidia kernel driver";
  if (asleep != 0) what += ", " + std::to_string(asleep) + " of them asleep (not woken)";
  return {Finding::State::ok, std::move(what), {}};
}

Finding check_kernel_module(const SourceContext& context) {
  const auto version = read_file(under_root(context.root, "/proc/driver/nvidia/version"));
  if (!version) {
    return {Finding::State::missing, "NVIDIA's kernel module is not loaded", kDriverHint};
  }
  return {Finding::State::ok, "kernel module: " + version->substr(0, version->find('\n')), {}};
}

Finding check_library(const SourceContext& context) {
  const std::string& name = context.options.text("library");
  if (name.find('/') != std::string::npos) {
    std::error_code error;
    if (fs::exists(name, error)) return {Finding::State::ok, "driver library: " + name, {}};
    return {Finding::State::missing, "driver library " + name + " does not exist",
            "correct sources.nvml.library"};
  }
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
        "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/local/nvidia/lib64",
        "/run/opengl-driver/lib", "/usr/lib/wsl/lib"}) {
    std::error_code error;
    const std::string path = under_root(context.root, std::string(folder) + "/" + name);
    if (fs::exists(path, error)) return {Finding::State::ok, "driver library: " + path, {}};
  }
  return {Finding::State::missing, "driver library " + name + " is in none of the usual places",
          std::string(kDriverHint) + "; " + kContainerHint};
}

Finding check_device_node(const SourceContext& context, const char* node) {
  const std::string path = under_root(context.root, node);
  const Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (fd) return {Finding::State::ok, path + " can be opened", {}};
  const int error = errno;
  if (error == ENOENT) {
    return {Finding::State::missing, path + " does not exist",
            std::string("run nvidia-modprobe -c0 -u; ") + kContainerHint};
  }
  return {Finding::State::degraded, path + " cannot be opened: " + errno_text(error),
          "run as a user in the group that owns it (often video), or as root"};
}

// Only the control node is opened: opening a GPU's own would wake it.
Finding check_gpu_nodes(const SourceContext& context) {
  size_t count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(under_root(context.root, "/dev"), error)) {
    const std::string name = entry.path().filename().string();
    const bool numbered = name.size() > 6 && name.starts_with("nvidia") &&
                          name.find_first_not_of("0123456789", 6) == std::string::npos;
    count += numbered ? 1 : 0;
  }
  if (count != 0) {
    return {Finding::State::ok, std::to_string(count) + " GPU device node(s) in /dev", {}};
  }
  return {Finding::State::missing, "no /dev/nvidia<N> device node", kContainerHint};
}

}  // namespace

bool present(const SourceContext& context) {
  std::error_code error;
  return !context.simulate.empty() || has_nvidia_hardware(context.root) ||
         fs::exists(under_root(context.root, "/dev/nvidiactl"), error) ||
         fs::exists(under_root(context.root, "/proc/driver/nvidia/version"), error);
}

std::vector<Finding> diagnose(const SourceContext& context) {
  if (!context.simulate.empty()) {
    return {{Finding::State::ok, "simulating " + context.simulate + ": no GPU is read", {}}};
  }
  return {check_devices(context), check_kernel_module(context), check_library(context),
          check_device_node(context, "/dev/nvidiactl"), check_gpu_nodes(context)};
}

}  // namespace warpsight::nvml
