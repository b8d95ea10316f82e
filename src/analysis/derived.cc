#include "analysis/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpsight {
namespace {

// Under this share a GPU's links may have slowed down to save power.
constexpr double kBusy = 0.1;
// Both meters are compared over at least this long: the energy counter moves in steps.
constexpr Duration kEnergySpan = std::chrono::minutes{1};
// Beyond this the meters tell different stories.
constexpr double kEnergyTolerance = 0.1;

}  // namespace

Derived::Derived(EntityTable& entities)
    : host_(entities.intern(EntityKind::host, kNoEntity, std::initializer_list<AttributeView>{})) {}

void Derived::run(const View& view, Batch& out) {
  out.begin(view.now(), std::chrono::seconds{1});
  extremes(view, out);
  shares(view, out);
  node(view, out);
  links(view, out);
  energy(view, out);
}

void Derived::extremes(const View& view, Batch& out) const {
  view.for_each(Metric::gpu_utilization, [&](const Series& s) {
    out.add(Metric::gpu_busy_time, s.entity, s.integral);
    if (s.window.count == 0) return;
    out.add(Metric::gpu_utilization_peak, s.entity, s.window.max);
    out.add(Metric::gpu_utilization_floor, s.entity, s.window.min);
  });
  view.for_each(Metric::gpu_power_draw, [&](const Series& s) {
    if (s.window.count > 0) out.add(Metric::gpu_power_peak, s.entity, s.window.max);
  });
}

void Derived::shares(const View& view, Batch& out) const {
  const auto share = [&](Metric part, Metric whole, Metric result, double scale) {
    view.for_each(part, [&](const Series& s) {
      const Series* all = view.find(whole, s.entity);
      if (all != nullptr && all->value > 0) out.add(result, s.entity, scale * s.value / all->value);
    });
  };
  share(Metric::gpu_memory_used, Metric::gpu_memory_total, Metric::gpu_memory_used_percent, 100);
  share(Metric::gpu_power_draw, Metric::gpu_power_limit, Metric::gpu_power_utilization, 1);
}

void Derived::node(const View& view, Batch& out) const {
  double sum = 0;
  double low = 1;
  double high = 0;
  int gpus = 0;
  view.for_each(Metric::gpu_utilization, [&](const Series& s) {
    sum += s.value;
    low = std::min(low, s.value);
    high = std::max(high, s.value);
    ++gpus;
  });
  if (gpus == 0) return;
  out.add(Metric::host_gpu_utilization_avg, host_, sum / gpus);
  out.add(Metric::host_gpu_utilization_max, host_, high);
  out.add(Metric::host_gpu_utilization_min, host_, low);
}

void Derived::links(const View& view, Batch& out) const {
  view.for_each(Metric::gpu_pcie_link_gen_current, [&](const Series& gen) {
    const Series* busy = view.find(Metric::gpu_utilization, gen.entity);
    const Series* best_gen = view.find(Metric::gpu_pcie_link_gen_max, gen.entity);
    const Series* width = view.find(Metric::gpu_pcie_link_width_current, gen.entity);
    const Series* best_width = view.find(Metric::gpu_pcie_link_width_max, gen.entity);
    if (busy == nullptr || best_gen == nullptr || width == nullptr || best_width == nullptr) return;
    if (busy->value < kBusy) return;
    const bool below = gen.value < best_gen->value || width->value < best_width->value;
    out.add(Metric::gpu_pcie_link_downtraining, gen.entity, below ? 1 : 0);
  });
}

void Derived::energy(const View& view, Batch& out) {
  std::erase_if(energy_,
                [&](const auto& entry) { return !view.entities().alive(EntityId{entry.first}); });
  view.for_each(Metric::gpu_energy_consumption, [&](const Series& counter) {
    const Series* power = view.find(Metric::gpu_power_draw, counter.entity);
    if (power == nullptr) return;
    Energy& meter = energy_[counter.entity.bits];
    if (counter.time != meter.counter_time) compare(counter, *power, meter);
    if (!meter.deviation) return;
    out.add(Metric::gpu_energy_deviation, counter.entity, *meter.deviation);
    tell_parting(view, counter.entity, meter, out);
  });
}

void Derived::tell_parting(const View& view, EntityId gpu, Energy& meter, Batch& out) {
  const double deviation = meter.deviation.value_or(0);
  const bool part = std::abs(deviation) > kEnergyTolerance;
  if (part && !meter.told) {
    out.events.push_back({view.now(),
                          "gpu.energy.mismatch",
                          Severity::warning,
                          gpu,
                          fmt::format("power samples and energy counter part by {:+.0f} %: trust "
                                      "neither until a driver update or a reset mends it",
                                      100 * deviation),
                          {}});
  }
  meter.told = part;
}

// The counter is read now and then, the power samples run on to this moment: what they add after
// the counter's own time is taken off again.
void Derived::compare(const Series& counter, const Series& power, Energy& meter) {
  const double integral = power.integral - power.last * to_seconds(power.time - counter.time);
  const bool restarted = integral < meter.integral_at_counter || counter.start > meter.start;
  if (meter.counter_time == Time{} || restarted) {
    meter = {counter.last, integral,     counter.start, counter.time,
             integral,     std::nullopt, meter.told};
    return;
  }
  meter.counter_time = counter.time;
  meter.integral_at_counter = integral;
  const double metered = counter.last - meter.counter_start;
  const double watched = integral - meter.integral_start;
  const double seconds_watched = watched / std::max(power.value, 1.0);
  if (metered > 0 && seconds_watched >= to_seconds(kEnergySpan)) {
    meter.deviation = watched / metered - 1;
  }
}

}  // namespace warpsight
