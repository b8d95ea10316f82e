#include "sources/nvml/pcie.h"

#include <algorithm>
#include <cmath>

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

Pcie::Pcie(EntityId gpu)
    : generation_{{Metric::gpu_pcie_link_gen_current, gpu}},
      width_{{Metric::gpu_pcie_link_width_current, gpu}},
      replays_{{Metric::gpu_pcie_replays, gpu}},
      max_generation_{{Metric::gpu_pcie_link_gen_max, gpu}},
      max_width_{{Metric::gpu_pcie_link_width_max, gpu}} {}

void Pcie::read(Pass& pass) {
  read_number(pass, generation_, pass.lib.nvmlDeviceGetCurrPcieLinkGeneration);
  read_number(pass, width_, pass.lib.nvmlDeviceGetCurrPcieLinkWidth);
  read_number(pass, replays_, pass.lib.nvmlDeviceGetPcieReplayCounter);
}

void Pcie::read_limits(Pass& pass) {
  read_number(pass, max_generation_, pass.lib.nvmlDeviceGetMaxPcieLinkGeneration);
  read_number(pass, max_width_, pass.lib.nvmlDeviceGetMaxPcieLinkWidth);
}

double unwrapped_growth(uint32_t before, uint32_t now, double expected) {
  constexpr double kSpan = 4294967296.0;
  const double growth = now - before;
  return growth + kSpan * std::max(0.0, std::round((expected - growth) / kSpan));
}

PcieBytes::PcieBytes(EntityTable& entities, EntityId gpu) {
  fields_.add(abi::field::kPcieTxBytes, 0, 1,
              {{Metric::gpu_pcie_io, direction(entities, gpu, "transmit")}});
  fields_.add(abi::field::kPcieRxBytes, 0, 1,
              {{Metric::gpu_pcie_io, direction(entities, gpu, "receive")}});
}

void PcieBytes::read(Pass& pass, const std::optional<LinkRates>& rates) {
  if (last_ && !rates) return;
  const SteadyTime now = pass.context.clock.steady();
  const double seconds = last_ ? to_seconds(now - *last_) : 0;
  fields_.read(pass);
  if (!fields_[0].fresh || !fields_[1].fresh) return;
  for (size_t i = 0; i < counts_.size(); ++i) {
    Count& count = counts_[i];
    if (fields_[i].type != abi::ValueType::uint32) {
      count.total = fields_[i].value;
    } else if (const auto raw = static_cast<uint32_t>(fields_[i].value); !last_) {
      count = {raw, fields_[i].value};
    } else {
      const double rate = i == 0 ? rates->transmit : rates->receive;
      count.total += unwrapped_growth(count.last, raw, rate * seconds);
      count.last = raw;
    }
    pass.add(fields_[i].reading[0], count.total);
  }
  last_ = now;
}

void PcieBytes::cannot_tell_wraps(Pass& pass) {
  for (size_t i = 0; i < fields_.size(); ++i) {
    pass.unsupported(fields_[i].reading, "32-bit counter that wraps unseen without GPM's rates");
  }
}

}  // namespace warpsight::nvml
