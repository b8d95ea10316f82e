// gres.conf, slurm.conf and what slurmd -G says: whatever the text, a bounded list of devices.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sources/slurm/gpu_files.h"
#include "sources/slurm/gres_conf.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const warpsight::Result<std::vector<warpsight::slurm::GpuFiles>>& gpus) {
  if (!gpus) return;
  require(gpus->size() <= 4096);
  for (const auto& gpu : *gpus) {
    const auto device = warpsight::slurm::device_of(gpu, "/nowhere");
    require(!device || !device->text.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t budget = 65536;
  const auto lines = warpsight::slurm::parse_conf(text, [&](std::string_view name) {
    if (text.size() > budget || name.empty()) return std::string();
    budget -= text.size();
    return std::string(text.substr(name.size() % (text.size() + 1)));
  });
  if (lines) {
    const auto node = warpsight::slurm::node_conf(*lines, "gpu-01");
    (void)warpsight::slurm::node_of_host(*lines, "host");
    check(warpsight::slurm::gpus_of_node(*lines, node, "gpu-01"));
  }
  check(warpsight::slurm::parse_slurmd_gres(text));
  (void)warpsight::slurm::find_mig_capability(text, 12);
  return 0;
}
