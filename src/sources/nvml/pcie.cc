#include "sources/nvml/pcie.h"

namespace warpsight::nvml {
namespace {

void read_number(Pass& pass, Reading& reading,
                 const Function<abi::Return(abi::Device, unsigned*)>& getter) {
  unsigned number = 0;
  if (pass.get(reading, getter, pass.handle, &number)) pass.add(reading[0], number);
}

EntityId direction(EntityTable& entities, EntityId gpu, std::string_view name) {
  return facet(entities, gpu, {{"gpu.interconnect.direction", name}});
}

}  // namespace

Pcie::Pcie(EntityTable& entities, EntityId gpu)
    : generation_{{Metric::gpu_pcie_link_gen_current, gpu}},
      width_{{Metric::gpu_pcie_link_width_current, gpu}},
      replays_{{Metric::gpu_pcie_replays, gpu}},
      max_generation_{{Metric::gpu_pcie_link_gen_max, gpu}},
      max_width_{{Metric::gpu_pcie_link_width_max, gpu}} {
  bytes_.add(abi::field::kPcieTxBytes, 0, 1,
             {{Metric::gpu_pcie_io, direction(entities, gpu, "transmit")}});
  bytes_.add(abi::field::kPcieRxBytes, 0, 1,
             {{Metric::gpu_pcie_io, direction(entities, gpu, "receive")}});
}

void Pcie::read(Pass& pass) {
  read_number(pass, generation_, pass.lib.nvmlDeviceGetCurrPcieLinkGeneration);
  read_number(pass, width_, pass.lib.nvmlDeviceGetCurrPcieLinkWidth);
  read_number(pass, replays_, pass.lib.nvmlDeviceGetPcieReplayCounter);
  bytes_.read_and_add(pass);
}

void Pcie::read_limits(Pass& pass) {
  read_number(pass, max_generation_, pass.lib.nvmlDeviceGetMaxPcieLinkGeneration);
  read_number(pass, max_width_, pass.lib.nvmlDeviceGetMaxPcieLinkWidth);
}

}  // namespace warpsight::nvml
