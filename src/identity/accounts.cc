#include "identity/accounts.h"

#include <algorithm>
#include <utility>

namespace warpsight::identity {

const Series* busy_meter(const View& view, const Device& device) {
  const Metric metric = device.is_mig ? Metric::gpu_gr_engine_active : Metric::gpu_utilization;
  return view.find_live(metric, device.entity);
}

double Accounts::Meter::advance(double now) {
  const double gained = known && now > value ? now - value : 0;
  known = true;
  value = now;
  return gained;
}

void Accounts::charge(const View& view, const Joined& joined) {
  read_processes(view, joined);
  const auto devices = joined.devices.all();
  for (size_t i = 0; i < devices.size(); ++i) {
    const auto [entry, is_new] = ledgers_.try_emplace(devices[i].entity.bits);
    Ledger& ledger = entry->second;
    if (is_new) ledger.unattributed.since = view.now();
    const Series* busy = busy_meter(view, devices[i]);
    const Series* energy = view.find_live(Metric::gpu_energy_consumption, devices[i].entity);
    charge(joined, i, ledger, busy == nullptr ? 0 : ledger.busy.advance(busy->integral),
           energy == nullptr ? 0 : ledger.energy.advance(energy->last));
  }
}

void Accounts::read_processes(const View& view, const Joined& joined) {
  std::unordered_map<uint32_t, double> seconds;
  view.for_each_live(Metric::gpu_process_utilization, [&](const Series& series) {
    if (view.entities().attribute(series.entity, "gpu.task.type") != "compute") return;
    seconds.emplace(view.entities().wearer(series.entity).bits, series.integral);
  });
  std::erase_if(processes_, [&](const auto& item) { return !seconds.contains(item.first); });
  used_.assign(joined.uses.size(), 0);
  for (size_t i = 0; i < joined.uses.size(); ++i) {
    const uint32_t process = joined.uses[i].process.bits;
    const auto found = seconds.find(process);
    if (found != seconds.end()) used_[i] = processes_[process].advance(found->second);
  }
}

void Accounts::charge(const Joined& joined, size_t device, Ledger& ledger, double busy,
                      double energy) {
  ledger.gained += busy;
  if (const Tenure* sole = joined.sole(device)) {
    if (Account* account = find(ledger, joined.owners[sole->owner].key)) {
      account->busy += busy;
      account->energy += energy;
      return;
    }
  }
  double all = 0;
  for (size_t i = 0; i < joined.uses.size(); ++i) {
    if (joined.uses[i].device == device) all += used_[i];
  }
  // Samples of processes may not add up to the device's: what is missing is nobody's, and where
  // they say more than the device they share it.
  const double whole = std::max(all, busy);
  double left = 1;
  for (const Tenure& tenure : joined.tenures_of(device)) {
    Account* account = find(ledger, joined.owners[tenure.owner].key);
    if (account == nullptr || whole <= 0) continue;
    double own = 0;
    for (const size_t use : tenure.uses) own += used_[use];
    account->busy += busy * own / whole;
    account->energy += energy * own / whole;
    left -= own / whole;
  }
  ledger.unattributed.busy += busy * std::max(left, 0.0);
  ledger.unattributed.energy += energy * std::max(left, 0.0);
}

void Accounts::reopen(const Joined& joined, Time now) {
  const auto devices = joined.devices.all();
  std::erase_if(ledgers_, [&](const auto& item) {
    return joined.devices.find(EntityId{item.first}) == devices.size();
  });
  for (size_t i = 0; i < devices.size(); ++i) {
    const auto [ledger, is_new] = ledgers_.try_emplace(devices[i].entity.bits);
    if (is_new) ledger->second.unattributed.since = now;
    std::vector<Entry> entries;
    for (const Tenure& tenure : joined.tenures_of(i)) {
      Entry& entry = entries.emplace_back(joined.owners[tenure.owner].key, Account{now});
      const auto before = std::ranges::find_if(ledger->second.entries, [&](const Entry& old) {
        const auto known = joined.by_key.find(old.key);
        return known != joined.by_key.end() && known->second == tenure.owner;
      });
      if (before != ledger->second.entries.end()) entry.account = before->account;
    }
    ledger->second.entries = std::move(entries);
  }
}

Account* Accounts::find(Ledger& ledger, const std::string& key) {
  const auto found = std::ranges::find(ledger.entries, key, &Entry::key);
  return found == ledger.entries.end() ? nullptr : &found->account;
}

const Account* Accounts::of(const Joined& joined, const Tenure& tenure) const {
  const auto ledger = ledgers_.find(joined.devices.all()[tenure.device].entity.bits);
  if (ledger == ledgers_.end()) return nullptr;
  const auto found =
      std::ranges::find(ledger->second.entries, joined.owners[tenure.owner].key, &Entry::key);
  return found == ledger->second.entries.end() ? nullptr : &found->account;
}

const Account* Accounts::unattributed(EntityId device) const {
  const auto ledger = ledgers_.find(device.bits);
  return ledger == ledgers_.end() ? nullptr : &ledger->second.unattributed;
}

double Accounts::share(EntityId device, const Account& account) const {
  const auto ledger = ledgers_.find(device.bits);
  if (ledger == ledgers_.end() || ledger->second.gained <= 0) return 0;
  return (account.busy - account.busy_before) / ledger->second.gained;
}

void Accounts::close_interval() {
  for (auto& [device, ledger] : ledgers_) {
    ledger.gained = 0;
    ledger.unattributed.busy_before = ledger.unattributed.busy;
    for (Entry& entry : ledger.entries) entry.account.busy_before = entry.account.busy;
  }
}

}  // namespace warpsight::identity
