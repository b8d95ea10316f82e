#include "identity/owners_report.h"

#include "identity/identity.h"
#include "identity/owner_name.h"

namespace warpsight {

using identity::Account;
using identity::Device;
using identity::DeviceOwner;
using identity::DeviceOwners;
using identity::KnownOwner;
using identity::OwnerProcess;
using identity::OwnersReport;
using identity::Tenure;
using identity::Use;

namespace {

std::optional<double> value_of(const View& view, Metric metric, EntityId entity) {
  const Series* series = view.find_live(metric, entity);
  return series == nullptr ? std::nullopt : std::optional(identity::current(*series));
}

OwnerProcess process_of(const View& view, const Use& use) {
  OwnerProcess process{use.pid, view.entities().attribute(use.process, "process.executable.name"),
                       use.evidence};
  if (const Series* memory = view.find_live(Metric::gpu_process_memory_used, use.process)) {
    process.memory = memory->last;
  }
  return process;
}

}  // namespace

OwnersReport Identity::report(const View& view) const {
  OwnersReport report;
  report.time = view.now();
  const identity::ProcessShares shares = identity::process_shares(view);
  const auto devices = joined_.devices.all();
  for (size_t i = 0; i < devices.size(); ++i) {
    const Device& device = devices[i];
    DeviceOwners& told = report.devices.emplace_back();
    view.entities().for_each_attribute(device.entity,
                                       [&](const std::string& key, const std::string& value) {
                                         told.attributes.push_back({key, value});
                                       });
    told.is_mig = device.is_mig;
    told.divided = device.divided;
    if (const Series* busy = identity::busy_meter(view, device)) {
      told.utilization = identity::current(*busy);
    }
    told.memory_used = value_of(view, Metric::gpu_memory_used, device.entity);
    told.memory_total = value_of(view, Metric::gpu_memory_total, device.entity);
    for (const Tenure& tenure : joined_.tenures_of(i)) {
      told.owners.push_back(report_of(view, tenure, shares));
    }
    for (const Use& use : joined_.uses) {
      if (use.device == i && !use.owner) told.unknown.push_back(process_of(view, use));
    }
    if (const Account* nobody = accounts_.unattributed(device.entity)) {
      told.unattributed_busy = nobody->busy;
      told.unattributed_energy = nobody->energy;
    }
  }
  view.for_each_ownership([&](const std::string& source, const Ownership& ownership) {
    report.lookups.push_back({source, ownership.lookups});
  });
  return report;
}

DeviceOwner Identity::report_of(const View& view, const Tenure& tenure,
                                const identity::ProcessShares& shares) const {
  const KnownOwner& owner = joined_.owners[tenure.owner];
  DeviceOwner told;
  told.kind = owner.kind;
  told.name = identity::name_of(owner);
  told.tenant = identity::tenant_of(owner, options_.tenant);
  for (const Attribute& a : owner.attributes) {
    if (!is_private(a.key)) told.attributes.push_back(a);
  }
  told.held_by = tenure.held_by;
  told.used_by = tenure.used_by;
  told.memory = identity::memory_of(view, joined_, tenure);
  const Device& device = joined_.devices.all()[tenure.device];
  if (const Account* account = accounts_.of(device.entity, owner.key)) {
    told.since = account->since;
    if (identity::busy_meter(view, device) != nullptr) told.busy = account->busy;
    if (view.find_live(Metric::gpu_energy_consumption, device.entity) != nullptr) {
      told.energy = account->energy;
    }
  }
  told.utilization = identity::utilization_of(view, joined_, tenure, shares);
  for (const size_t use : tenure.uses) {
    told.processes.push_back(process_of(view, joined_.uses[use]));
  }
  return told;
}

}  // namespace warpsight
