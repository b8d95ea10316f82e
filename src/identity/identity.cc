#include "identity/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "identity/owner_name.h"

namespace warpsight {

using identity::Account;
using identity::Device;
using identity::Joined;
using identity::KnownOwner;
using identity::Tenure;
using identity::Use;

namespace {

// The kubelet and Slurm are asked again within seconds of a process's start: what still does not
// agree after this long is not late.
constexpr Duration kStrayGrace = std::chrono::seconds{10};
// Of a publish interval: events of other kinds must have room.
constexpr size_t kMostChanges = 64;
constexpr std::string_view kProcessStart = ".process.start";

std::vector<AttributeView> views(const std::vector<Attribute>& attributes) {
  std::vector<AttributeView> out;
  out.reserve(attributes.size());
  for (const Attribute& a : attributes) out.push_back({a.key, a.value});
  return out;
}

void set(std::vector<Attribute>& attributes, std::string_view key, const std::string& value) {
  const auto known = std::ranges::find(attributes, key, &Attribute::key);
  if (known == attributes.end()) {
    attributes.push_back({std::string(key), value});
  } else {
    known->value = value;
  }
}

// Devices that were given out: whoever of that kind is there without is where it should not be.
bool is_stray(const Joined& joined, const Tenure& tenure) {
  const KnownOwner& owner = joined.owners[tenure.owner];
  if (tenure.held()) return false;
  if (owner.kind == OwnerKind::slurm_job) return joined.managed_for_jobs[tenure.device];
  // A pod that is known by its container's id alone cannot be told from one known by its name.
  return owner.kind == OwnerKind::pod && joined.managed_for_pods[tenure.device] &&
         owner.key.starts_with("pod/");
}

}  // namespace

OwnerLabels owner_labels(std::string_view name) {
  if (name == "all") return OwnerLabels::all;
  return name == "info" ? OwnerLabels::info : OwnerLabels::gauges;
}

void Identity::configure(IdentityOptions options) {
  options_ = std::move(options);
  state_ = {};
}

Identity::State Identity::state_of(const View& view) const {
  return {view.ownership_changes(), entities_.changes(EntityKind::gpu),
          entities_.changes(EntityKind::mig), entities_.changes(EntityKind::process)};
}

void Identity::settle(const View& view, Batch& out) {
  accounts_.charge(view, joined_);
  if (state_of(view) != state_) join_anew(view, out);
}

void Identity::run(const View& view, Batch& out) {
  settle(view, out);
  tell_strays(view, out);
  tell_owners(view, out);
  accounts_.close(view.now());
  changes_told_ = 0;
  published_ = view.now();
}

void Identity::join_anew(const View& view, Batch& out) {
  std::vector<identity::Report> reports;
  view.for_each_ownership([&](const std::string& source, const Ownership& ownership) {
    reports.push_back({source, &ownership});
  });
  // What a process tells of itself is less than what was told of it.
  std::ranges::stable_partition(reports,
                                [](const auto& report) { return report.source != "processes"; });
  state_ = state_of(view);
  joined_ = identity::join(entities_, reports);
  accounts_.reopen(joined_, view.now());
  accounts_.charge(view, joined_);
  name_owners(view, out);
  dress(out);
  ++joins_;
}

std::vector<Attribute> Identity::attributes_of(const KnownOwner& owner) const {
  std::vector<Attribute> all{{"owner.kind", std::string(to_string(owner.kind))}};
  for (const Attribute& a : owner.attributes) {
    // The start of a process tells it from a later one of the same number.
    if (!is_private(a.key) || a.key == kProcessStart) all.push_back(a);
  }
  const std::string tenant = identity::tenant_of(owner, options_.tenant);
  if (!tenant.empty()) all.push_back({"tenant", tenant});
  return all;
}

Worn Identity::worn_of(const KnownOwner& owner, const std::string& evidence) const {
  Worn worn{attributes_of(owner)};
  std::erase_if(worn.attributes, [](const Attribute& a) { return is_private(a.key); });
  worn.attributes.push_back({"owner.evidence", evidence});
  return worn;
}

bool Identity::still_owns(const OwnerEntity& owner) const {
  const auto known = joined_.by_key.find(owner.key);
  if (known == joined_.by_key.end()) return false;
  const auto here = joined_.tenures_of(joined_.devices.find(owner.device));
  return std::ranges::find(here, known->second, &Tenure::owner) != here.end();
}

void Identity::name_owners(const View& view, Batch& out) {
  std::unordered_map<std::string, OwnerEntity> before = std::exchange(owners_, {});
  std::set<std::pair<uint32_t, size_t>> known;  // devices and their owners as they are named now
  for (const auto& [place, owner] : before) {
    const auto now = joined_.by_key.find(owner.key);
    if (!owner.ended && now != joined_.by_key.end()) known.emplace(owner.device.bits, now->second);
  }
  std::set<uint32_t> alive;
  for (const Tenure& tenure : joined_.tenures) {
    const KnownOwner& owner = joined_.owners[tenure.owner];
    const EntityId device = joined_.devices.all()[tenure.device].entity;
    OwnerEntity now{.device = device,
                    .key = owner.key,
                    .attributes = attributes_of(owner),
                    .name = identity::name_of(owner),
                    .kind = owner.kind};
    now.entity = entities_.intern(EntityKind::owner, device, views(now.attributes));
    now.info =
        entities_.intern(EntityKind::facet, now.entity, {{"owner.evidence", tenure.evidence()}});
    alive.insert({now.entity.bits, now.info.bits});
    if (!known.contains({device.bits, tenure.owner})) tell_change(view, now, "now owned by", out);
    owners_.insert_or_assign(place_of(joined_, tenure), std::move(now));
  }
  for (auto& [place, owner] : before) {
    const bool ends = !alive.contains(owner.entity.bits);
    if (!ends) {
      if (!alive.contains(owner.info.bits)) out.gone.push_back(owner.info);
    } else if (still_owns(owner) || !entities_.alive(owner.device)) {
      out.gone.push_back(owner.entity);
    } else {
      if (!owner.ended) tell_change(view, owner, "no longer owned by", out);
      owner.ended = true;
      owners_.emplace(place, std::move(owner));
    }
  }
}

void Identity::tell_change(const View& view, const OwnerEntity& owner, std::string_view what,
                           Batch& out) {
  // Who was there when the agent started did not come just then.
  if (published_ == Time{} || owner.kind == OwnerKind::process) return;
  if (++changes_told_ > kMostChanges) return;
  out.events.push_back({view.now(), "gpu.owner.changed", Severity::info, owner.device,
                        fmt::format("{} {}", what, owner.name), owner.attributes});
}

void Identity::dress(Batch& out) const {
  const bool bare = options_.labels == OwnerLabels::info;
  const auto devices = joined_.devices.all();
  for (size_t i = 0; i < devices.size(); ++i) {
    const Tenure* sole = bare ? nullptr : joined_.sole(i);
    std::shared_ptr<const Worn> worn;
    if (sole != nullptr) {
      Worn own = worn_of(joined_.owners[sole->owner], sole->evidence());
      own.on_counters = options_.labels == OwnerLabels::all;
      worn = std::make_shared<const Worn>(std::move(own));
    }
    out.dressings.push_back({devices[i].entity, std::move(worn)});
  }
  for (const Use& use : joined_.uses) {
    std::shared_ptr<const Worn> worn;
    if (use.owner && !bare) {
      Worn own = worn_of(joined_.owners[*use.owner], use.evidence);
      for (const Attribute& a : use.attributes) set(own.attributes, a.key, a.value);
      worn = std::make_shared<const Worn>(std::move(own));
    }
    out.dressings.push_back({use.process, std::move(worn)});
  }
}

void Identity::tell_strays(const View& view, Batch& out) {
  for (auto& [place, stray] : strays_) stray.seen = false;
  for (const Tenure& tenure : joined_.tenures) {
    if (!is_stray(joined_, tenure)) continue;
    const std::string place = place_of(joined_, tenure);
    Stray& stray = strays_.try_emplace(place, Stray{view.now()}).first->second;
    stray.seen = true;
    if (stray.told || view.now() - stray.since < kStrayGrace) continue;
    stray.told = true;
    const OwnerEntity& owner = owners_.at(place);
    out.events.push_back(
        {view.now(), "gpu.owner.mismatch", Severity::warning,
         joined_.devices.all()[tenure.device].entity,
         fmt::format("{} uses this device and was not given it: look for privileged containers, "
                     "NVIDIA_VISIBLE_DEVICES set by hand, or device files left open to all",
                     owner.name),
         owner.attributes});
  }
  std::erase_if(strays_, [](const auto& item) { return !item.second.seen; });
}

void Identity::tell_owners(const View& view, Batch& out) {
  out.begin(view.now(), std::chrono::seconds{1});
  const identity::ProcessShares shares = identity::process_shares(view);
  for (size_t i = 0; i < joined_.devices.all().size(); ++i) tell_device(view, i, shares, out);
  tell_ended(view, out);
}

// Only what they used, until the meters have caught up with their end.
void Identity::tell_ended(const View& view, Batch& out) {
  std::erase_if(owners_, [&](const auto& item) {
    const OwnerEntity& owner = item.second;
    if (!owner.ended) return false;
    const size_t place = joined_.devices.find(owner.device);
    const Account* account = accounts_.of(owner.device, owner.key);
    if (account == nullptr || place == joined_.devices.all().size()) {
      out.gone.push_back(owner.entity);
      return true;
    }
    tell_account(view, joined_.devices.all()[place], owner.entity, *account, out);
    return false;
  });
}

void Identity::tell_account(const View& view, const Device& device, EntityId owner,
                            const Account& account, Batch& out) const {
  if (identity::busy_meter(view, device) != nullptr) {
    out.add_counter(Metric::gpu_owner_busy_time, owner, account.busy, account.since);
  }
  if (view.find_live(Metric::gpu_energy_consumption, device.entity) != nullptr) {
    out.add_counter(Metric::gpu_owner_energy, owner, account.energy, account.since);
  }
}

void Identity::tell_device(const View& view, size_t place, const identity::ProcessShares& shares,
                           Batch& out) {
  const Device& device = joined_.devices.all()[place];
  const Series* memory = view.find(Metric::gpu_memory_used, device.entity);
  const Series* busy = identity::busy_meter(view, device);
  const bool works = busy != nullptr && busy->published;
  double memory_left = memory == nullptr ? 0 : memory->value;
  double busy_left = works ? busy->value : 0;
  for (const Tenure& tenure : joined_.tenures_of(place)) {
    const OwnerEntity& owner = owners_.at(place_of(joined_, tenure));
    out.add(Metric::gpu_owner, owner.info, 1);
    if (const Account* account = accounts_.of(device.entity, owner.key)) {
      tell_account(view, device, owner.entity, *account, out);
    }
    const auto held = identity::memory_of(view, joined_, tenure);
    if (memory != nullptr && held) {
      out.add(Metric::gpu_owner_memory_used, owner.entity, *held);
      memory_left -= *held;
    }
    const auto used = identity::utilization_of(view, joined_, tenure, shares);
    if (works && used) {
      const double part = std::min(*used, std::max(busy_left, 0.0));
      out.add(Metric::gpu_owner_utilization, owner.entity, part);
      busy_left -= part;
    }
  }
  const EntityId nobody =
      entities_.intern(EntityKind::owner, device.entity, {{"owner.kind", "unattributed"}});
  if (const Account* account = accounts_.unattributed(device.entity)) {
    tell_account(view, device, nobody, *account, out);
  }
  if (memory != nullptr) {
    out.add(Metric::gpu_owner_memory_used, nobody, std::max(memory_left, 0.0));
  }
  if (works) out.add(Metric::gpu_owner_utilization, nobody, std::max(busy_left, 0.0));
}

}  // namespace warpsight
