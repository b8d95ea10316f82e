#include "sources/slurm/gpu_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "platform/file.h"
#include "sources/slurm/gpu_files.h"
#include "sources/slurm/gres_text.h"

namespace warpsight::slurm {
namespace {

constexpr Duration kRetry = std::chrono::minutes{5};

bool has_gpus(std::string_view node_gres) {
  return std::ranges::any_of(parse_gres(node_gres), &Gres::is_gpu);
}

std::string shown(const std::optional<DeviceName>& device) {
  if (!device) return "?";
  if (device->gpu_instance < 0) return device->text;
  return fmt::format("{}/gi{}/ci{}", device->text, device->gpu_instance, device->compute_instance);
}

}  // namespace

GpuOrder::GpuOrder(std::string root, SlurmCommand command)
    : root_(std::move(root)), command_(std::move(command)) {}

void GpuOrder::refresh(const NodeSetup& setup, SteadyTime now) {
  lookup_.question = fmt::format("GPUs of node {}: {}", setup.node,
                                 setup.gres_config.empty() ? "no gres.conf" : setup.gres_config);
  devices_.clear();
  problem_.clear();
  const auto gpus = find(setup, now);
  if (gpus) {
    take(*gpus);
  } else {
    problem_ = describe(gpus.error());
  }
  std::vector<std::string> names;
  names.reserve(devices_.size());
  for (const auto& device : devices_) names.push_back(shown(device));
  lookup_.answer = devices_.empty() ? "no GPUs"
                                    : fmt::format("{} GPUs, by index of minor {}", names.size(),
                                                  fmt::join(names, ","));
  if (!problem_.empty()) lookup_.answer = (gpus ? lookup_.answer + "; " : "") + problem_;
}

Result<std::vector<GpuFiles>> GpuOrder::find(const NodeSetup& setup, SteadyTime now) {
  auto lines = setup.gres_config.empty() ? fail("no gres.conf was found")
                                         : read_conf(root_, setup.gres_config);
  Result<Gpus> gpus = lines ? gpus_of_node(*lines, setup.conf, setup.node)
                            : Result<Gpus>(tl::unexpected(lines.error()));
  // A node whose Gres= names GPUs has them, whether gres.conf does or not.
  if (gpus && gpus->empty() && has_gpus(setup.conf.gres)) gpus = fail("no File= for the node");
  if (gpus) return gpus;
  if (!lines && setup.conf.known && !has_gpus(setup.conf.gres)) return Gpus();
  if (lines && *lines != asked_of_) {
    asked_of_ = std::move(*lines);
    slurmd_says_.reset();
    ask_again_ = now;
  }
  if (!slurmd_says_ || (!*slurmd_says_ && now >= ask_again_)) {
    slurmd_says_ = ask_slurmd(setup);
    ask_again_ = now + kRetry;
  }
  if (*slurmd_says_) return *slurmd_says_;
  return fail(fmt::format("{}: {}, and slurmd does not tell: {}",
                          setup.gres_config.empty() ? "Slurm" : setup.gres_config,
                          gpus.error().message, slurmd_says_->error().message),
              "list the GPUs in gres.conf (File=), or let the agent run slurmd -G");
}

Result<std::vector<GpuFiles>> GpuOrder::ask_slurmd(const NodeSetup& setup) const {
  std::vector<std::string> argv = {"slurmd", "-G"};
  // Not every slurmd takes a node's name.
  if (!setup.of_host) argv.insert(argv.end(), {"-N", setup.node});
  const auto said = command_.run(argv);
  if (!said) return tl::unexpected(said.error());
  if (!said->status.success()) return tl::unexpected(SlurmCommand::explain(argv, *said));
  return parse_slurmd_gres(said->errors + said->output);
}

void GpuOrder::take(const Gpus& gpus) {
  for (const GpuFiles& gpu : gpus) {
    auto device = device_of(gpu, root_);
    if (!device && problem_.empty()) problem_ = describe(device.error());
    devices_.push_back(device ? std::optional(std::move(*device)) : std::nullopt);
  }
}

const DeviceName* GpuOrder::device(unsigned index) const {
  if (index >= devices_.size()) return nullptr;
  const std::optional<DeviceName>& device = devices_[index];
  return device ? &*device : nullptr;
}

std::vector<DeviceName> GpuOrder::all() const {
  std::vector<DeviceName> known;
  for (const auto& device : devices_) {
    if (device) known.push_back(*device);
  }
  return known;
}

}  // namespace warpsight::slurm
