#include "analysis/devices.h"

#include <algorithm>

namespace warpsight {

Devices::Count& Devices::of(const std::string& vendor) {
  Count& count = counts_[vendor];
  if (!count.seen_entity) {
    count.seen_entity = entities_.intern(EntityKind::facet, kNoEntity,
                                         {{"gpu.state", "seen"}, {"gpu.vendor", vendor}});
    count.lost_entity = entities_.intern(EntityKind::facet, kNoEntity,
                                         {{"gpu.state", "lost"}, {"gpu.vendor", vendor}});
  }
  return count;
}

void Devices::run(const View& view, Batch& out) {
  for (auto& [vendor, count] : counts_) count.expected = count.seen = 0;
  view.for_each(Metric::gpu_devices, [&](const Series& s) {
    if (entities_.attribute(s.entity, "gpu.state") != "expected") return;
    of(entities_.attribute(s.entity, "gpu.vendor")).expected = static_cast<int>(s.value);
  });
  view.for_each(Metric::gpu_info, [&](const Series& s) {
    const EntityId gpu = entities_.ancestor(s.entity, EntityKind::gpu);
    ++of(entities_.attribute(gpu, "gpu.vendor")).seen;
  });
  out.begin(view.now(), std::chrono::seconds{1});
  for (auto& [vendor, count] : counts_) {
    out.add(Metric::gpu_devices, count.seen_entity, count.seen);
    out.add(Metric::gpu_devices, count.lost_entity, std::max(0, count.expected - count.seen));
  }
}

}  // namespace warpsight
