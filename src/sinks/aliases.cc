#include "sinks/aliases.h"

#include <algorithm>

namespace warpsight {
namespace {

// Aliases that mean less than the metric, or the same in another unit.
constexpr Alias kSpecial[] = {
    {"gpu.sm.clock.hertz", "gpu.clock.type", "sm", 1},
    {"gpu.memory.clock.hertz", "gpu.clock.type", "memory", 1},
    {"training.tflops", {}, {}, 1e-12},
    // A rate, which no rescaling of the counter yields.
    {"gpu.energy.co2_rate", {}, {}, 0},
};

}  // namespace

std::vector<Alias> aliases_of(const MetricRow& row) {
  std::vector<Alias> found;
  for_each_token(row.aliases, ' ', [&](std::string_view name) {
    if (name.starts_with("DCGM_")) return;
    const auto special = std::ranges::find(kSpecial, name, &Alias::name);
    const Alias alias = special == std::end(kSpecial) ? Alias{.name = name} : *special;
    if (alias.scale != 0) found.push_back(alias);
  });
  return found;
}

}  // namespace warpsight
