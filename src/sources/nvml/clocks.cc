#include "sources/nvml/clocks.h"

namespace warpsight::nvml {
namespace {

constexpr double kMega = 1e6;

Reading clock(EntityTable& entities, EntityId gpu, std::string_view type) {
  return {{Metric::gpu_clock_frequency, facet(entities, gpu, {{"gpu.clock.type", type}})}};
}

}  // namespace

Clocks::Clocks(EntityTable& entities, EntityId gpu)
    : domains_{{{abi::ClockType::graphics, clock(entities, gpu, "graphics")},
                {abi::ClockType::sm, clock(entities, gpu, "sm")},
                {abi::ClockType::memory, clock(entities, gpu, "memory")},
                {abi::ClockType::video, clock(entities, gpu, "video")}}} {}

void Clocks::read(Pass& pass) {
  for (Domain& domain : domains_) {
    unsigned megahertz = 0;
    if (pass.get(domain.reading, pass.lib.nvmlDeviceGetClockInfo, pass.handle, domain.type,
                 &megahertz)) {
      pass.add(domain.reading[0], kMega * megahertz);
    }
  }
}

}  // namespace warpsight::nvml
