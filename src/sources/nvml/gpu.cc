#include "sources/nvml/gpu.h"

namespace warpsight::nvml {

// The order matters within a run: what later steps build on comes first.
struct Readers::Step {
  CostClass cost;
  void (*read)(Readers&, Pass&);

  static constexpr auto all() {
    return std::to_array<Step>({
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.mig_.refresh(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.follow_mig_mode(p); }},
        {CostClass::facts, [](Readers& r, Pass& p) { r.info_.read(p); }},
        {CostClass::facts, [](Readers& r, Pass& p) { r.temperature_.read_limits(p); }},
        {CostClass::facts, [](Readers& r, Pass& p) { r.pcie_.read_limits(p); }},
        {CostClass::power_samples, [](Readers& r, Pass& p) { r.power_.drain(p); }},
        {CostClass::utilization_samples,
         [](Readers& r, Pass& p) {
           if (!r.mig_.enabled()) r.utilization_.drain(p);
         }},
        {CostClass::tick,
         [](Readers& r, Pass& p) {
           if (!r.mig_.enabled()) r.utilization_.poll(p);
         }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.power_.poll(p); }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.memory_.read(p, p.handle); }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.mig_.read_memory(p); }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.temperature_.read_die(p); }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.clocks_.read(p); }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.throttle_.read(p); }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.fans_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.temperature_.read_margins(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.throttle_time_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.bar1_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.unified_memory_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.ecc_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.row_remap_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.retired_pages_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.pending_repair_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.recovery_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.pcie_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.nvlink_.read(p); }},
        {CostClass::round_trip, [](Readers& r, Pass& p) { r.fabric_.read(p); }},
        {CostClass::energy, [](Readers& r, Pass& p) { r.energy_.read(p); }},
        {CostClass::tick,
         [](Readers& r, Pass& p) {
           if (r.gpm_) r.gpm_->read(p, r.nvlink_.present());
         }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.read_pcie_bytes(p); }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.mig_.read_activity(p); }},
        {CostClass::processes,
         [](Readers& r, Pass& p) {
           if (!r.options_.processes) return;
           if (r.mig_.enabled()) {
             r.mig_.read_processes(p);
           } else {
             r.processes_.read(p, p.handle);
           }
         }},
        {CostClass::round_trip,
         [](Readers& r, Pass& p) {
           if (r.options_.processes && !r.mig_.enabled()) r.processes_.read_utilization(p);
         }},
        {CostClass::tick, [](Readers& r, Pass& p) { r.info_.say(p.out); }},
    });
  }
};

Readers::Readers(const Library& library, EntityTable& entities, const Identity& identity,
                 const ReaderOptions& options)
    : entity_(identity.entity),
      options_(options),
      schedule_(options.tick, identity.slot),
      info_(entity_, identity.pci, identity.numa_node),
      mig_(entity_, identity.uuid, options.gpm),
      nvlink_(entities, entity_),
      fabric_(entity_),
      utilization_(entity_),
      power_(entity_),
      energy_(entity_),
      fans_(entity_),
      memory_(entity_),
      bar1_(entity_),
      unified_memory_(entity_),
      temperature_(entities, entity_),
      clocks_(entities, entity_),
      throttle_(entities, entity_),
      throttle_time_(entities, entity_),
      ecc_(entity_),
      row_remap_(entities, entity_),
      retired_pages_(entities, entity_),
      pending_repair_(entities, entity_),
      recovery_(entity_),
      pcie_(entity_),
      pcie_bytes_(entities, entity_),
      processes_(entity_) {
  if (options.gpm) gpm_.emplace(library, entities, entity_);
}

void Readers::read(Pass& pass) {
  const SteadyTime now = pass.context.clock.steady();
  std::array<bool, static_cast<size_t>(CostClass::count)> due{};
  for (size_t i = 0; i < due.size(); ++i) {
    const auto cost = static_cast<CostClass>(i);
    due[i] = schedule_.take(cost, now);
  }
  for (const Step& step : Step::all()) {
    if (pass.halted()) return;
    if (!due[static_cast<size_t>(step.cost)]) continue;
    pass.begin(schedule_.period(step.cost));
    step.read(*this, pass);
  }
}

// The driver's answers depend on the mode, so what was said under the other one is forgotten.
void Readers::follow_mig_mode(Pass& pass) {
  if (mig_enabled_ == mig_.enabled()) return;
  mig_enabled_ = mig_.enabled();
  processes_.retire(pass.out);
  utilization_ = Utilization(entity_);
  processes_ = ProcessList(entity_);
  if (!mig_.enabled()) return;
  utilization_.not_in_mig_mode(pass);
  if (options_.processes) processes_.utilization_not_in_mig_mode(pass);
}

void Readers::read_pcie_bytes(Pass& pass) {
  if (gpm_ && gpm_->possible()) {
    pcie_bytes_.read(pass, gpm_->pcie_rates());
  } else {
    pcie_bytes_.cannot_tell_wraps(pass);
  }
}

void Readers::retire(Batch& out) {
  processes_.retire(out);
  mig_.retire(out);
  recovery_.retire(out);
  info_.retire(out);
}

}  // namespace warpsight::nvml
