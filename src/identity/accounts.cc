#include "identity/accounts.h"

#include <algorithm>
#include <utility>

namespace warpsight::identity {
namespace {

// A meter that has not been read for this long will not tell of the past any more.
constexpr Duration kPatience = std::chrono::seconds{60};

}  // namespace

const Series* busy_meter(const View& view, const Device& device) {
  const Metric metric = device.is_mig ? Metric::gpu_gr_engine_active : Metric::gpu_utilization;
  return view.find_live(metric, device.entity);
}

// The first reading says where it stands. One that fell began anew.
Accounts::Gain Accounts::advance(Meter& meter, const Series& series, double value) {
  const Meter before = std::exchange(meter, Meter{series.time, value});
  if (before.read == Time{} || series.time <= before.read || value <= before.value) {
    return {before.read, series.time, 0};
  }
  return {before.read, series.time, value - before.value};
}

// Calls give(span, part) for each span that the gain covers; what lies before all spans is
// returned.
template <typename Fn>
double Accounts::spread(Ledger& ledger, const Gain& gain, Fn&& give) {
  double left = gain.amount;
  const double seconds = to_seconds(gain.to - gain.from);
  if (seconds <= 0 || gain.amount <= 0) return 0;
  for (Span& span : ledger.spans) {
    // Drivers' clocks run a little ahead: the last span has no end yet.
    const Time end = &span == &ledger.spans.back() ? std::max(span.to, gain.to) : span.to;
    const Time from = std::max(gain.from, span.from);
    const Time to = std::min(gain.to, end);
    if (to <= from) continue;
    const double part = gain.amount * to_seconds(to - from) / seconds;
    give(span, part);
    left -= part;
  }
  return std::max(left, 0.0);
}

void Accounts::charge(const View& view, const Joined& joined) {
  const auto devices = joined.devices.all();
  for (const Device& device : devices) {
    Ledger& ledger = ledgers_.try_emplace(device.entity.bits).first->second;
    if (ledger.unattributed.since == Time{}) ledger.unattributed.since = view.now();
    if (!ledger.spans.empty()) ledger.spans.back().to = view.now();
  }
  charge_processes(view, joined);
  for (size_t i = 0; i < devices.size(); ++i) {
    Ledger& ledger = ledgers_.at(devices[i].entity.bits);
    charge_device(view, joined, i, ledger);
    settle_spans(ledger, view.now());
  }
}

void Accounts::close(Time now) {
  for (auto& item : ledgers_) {
    Ledger& ledger = item.second;
    std::erase_if(ledger.entries, [&](const Entry& entry) {
      return entry.ended != Time{} &&
             (is_covered(ledger, entry.ended) || now - entry.ended > kPatience);
    });
  }
}

bool Accounts::has_passed(const Meter& meter, Time time) {
  return meter.read == Time{} || meter.read >= time;
}

bool Accounts::is_covered(const Ledger& ledger, Time time) {
  return has_passed(ledger.busy, time) && has_passed(ledger.energy, time) &&
         ledger.spans.front().from >= time;
}

void Accounts::charge_device(const View& view, const Joined& joined, size_t place, Ledger& ledger) {
  const Device& device = joined.devices.all()[place];
  const auto take = [&](Meter& meter, const Series& series, double value, double Account::* account,
                        double Span::* pending) {
    const bool first = meter.read == Time{};
    Gain gain = advance(meter, series, value);
    // An integral began with its series; a counter of the driver's did long before.
    if (first && pending == &Span::busy) gain = {series.start, series.time, value};
    ledger.unattributed.*account += spread(ledger, gain, [&](Span& span, double part) {
      if (!span.parts.empty()) {
        span.*pending += part;
        return;
      }
      Account* owner = find(ledger, span.sole);
      Account& charged = owner == nullptr ? ledger.unattributed : *owner;
      charged.*account += part;
    });
  };
  if (const Series* busy = busy_meter(view, device)) {
    take(ledger.busy, *busy, busy->integral, &Account::busy, &Span::busy);
  }
  if (const Series* energy = view.find_live(Metric::gpu_energy_consumption, device.entity)) {
    take(ledger.energy, *energy, energy->last, &Account::energy, &Span::energy);
  }
  if (!ledger.spans.empty() && ledger.spans.back().from == view.now()) ledger.spans.pop_back();
  ledger.spans.push_back(make_span(joined, place, ledger, view.now()));
}

Accounts::Span Accounts::make_span(const Joined& joined, size_t device, const Ledger& ledger,
                                   Time now) {
  Span span{.from = now, .to = now};
  span.used = std::ranges::find(joined.uses, device, &Use::device) != joined.uses.end();
  if (const Tenure* sole = joined.sole(device)) {
    span.sole = entry_of(ledger, joined.owners[sole->owner].key);
    return span;
  }
  for (const Tenure& tenure : joined.tenures_of(device)) {
    span.parts.push_back({entry_of(ledger, joined.owners[tenure.owner].key)});
  }
  return span;
}

void Accounts::charge_processes(const View& view, const Joined& joined) {
  std::unordered_map<uint32_t, const Use*> uses;
  for (const Use& use : joined.uses) uses.emplace(use.process.bits, &use);
  for (auto& [id, process] : processes_) process.seen = false;
  view.for_each_live(Metric::gpu_process_utilization, [&](const Series& series) {
    const auto use = uses.find(view.entities().wearer(series.entity).bits);
    if (use == uses.end()) return;
    if (view.entities().attribute(series.entity, "gpu.task.type") != "compute") return;
    Ledger& ledger = ledgers_.at(joined.devices.all()[use->second->device].entity.bits);
    const auto [known, is_new] = processes_.try_emplace(use->first);
    known->second.seen = true;
    Gain gain = advance(known->second.meter, series, series.integral);
    // The first sample stands for its period, which no integral holds.
    if (is_new) {
      gain = {series.start - series.period, series.time,
              series.last * to_seconds(series.period) + series.integral};
    }
    ledger.processes_read = std::max(ledger.processes_read, series.time);
    const uint32_t entry =
        use->second->owner ? entry_of(ledger, joined.owners[*use->second->owner].key) : 0;
    spread(ledger, gain, [&](Span& span, double part) {
      const auto own = std::ranges::find(span.parts, entry, &Part::entry);
      (own == span.parts.end() ? span.strangers : own->seconds) += part;
    });
  });
  std::erase_if(processes_, [](const auto& item) { return !item.second.seen; });
}

// Samples of processes may not add up to the device's: what is missing is nobody's, and where they
// say more than the device they share it.
void Accounts::settle(Ledger& ledger, const Span& span) {
  double all = span.strangers;
  for (const Part& part : span.parts) all += part.seconds;
  const double whole = std::max(all, span.busy);
  double left = 1;
  for (const Part& part : span.parts) {
    Account* account = find(ledger, part.entry);
    if (account == nullptr || whole <= 0) continue;
    account->busy += span.busy * part.seconds / whole;
    account->energy += span.energy * part.seconds / whole;
    left -= part.seconds / whole;
  }
  ledger.unattributed.busy += span.busy * std::max(left, 0.0);
  ledger.unattributed.energy += span.energy * std::max(left, 0.0);
}

void Accounts::settle_spans(Ledger& ledger, Time now) {
  // The last span goes on.
  while (ledger.spans.size() > 1) {
    const Span& span = ledger.spans.front();
    const bool sampled = span.parts.empty() || !span.used || ledger.processes_read == Time{} ||
                         ledger.processes_read >= span.to;
    const bool told =
        sampled && has_passed(ledger.busy, span.to) && has_passed(ledger.energy, span.to);
    if (!told && now - span.to < kPatience) return;
    settle(ledger, span);
    ledger.spans.pop_front();
  }
}

void Accounts::reopen(const Joined& joined, Time now) {
  const auto devices = joined.devices.all();
  std::erase_if(ledgers_, [&](const auto& item) {
    return joined.devices.find(EntityId{item.first}) == devices.size();
  });
  for (size_t i = 0; i < devices.size(); ++i) {
    Ledger& ledger = ledgers_.try_emplace(devices[i].entity.bits).first->second;
    for (Entry& entry : ledger.entries) {
      if (entry.ended == Time{}) entry.ended = now;
    }
    std::unordered_map<size_t, uint32_t> known;  // entries by owner
    for (const Entry& entry : ledger.entries) {
      const auto owner = joined.by_key.find(entry.key);
      if (owner != joined.by_key.end()) known.try_emplace(owner->second, entry.id);
    }
    for (const Tenure& tenure : joined.tenures_of(i)) {
      const std::string& key = joined.owners[tenure.owner].key;
      const auto before = known.find(tenure.owner);
      if (before == known.end()) {
        ledger.entries.push_back({++last_id_, key, Account{now}});
        continue;
      }
      Entry& entry = *std::ranges::find(ledger.entries, before->second, &Entry::id);
      entry.key = key;
      entry.ended = {};
    }
  }
}

Account* Accounts::find(Ledger& ledger, uint32_t entry) {
  const auto found = std::ranges::find(ledger.entries, entry, &Entry::id);
  return found == ledger.entries.end() ? nullptr : &found->account;
}

uint32_t Accounts::entry_of(const Ledger& ledger, const std::string& key) {
  const auto found = std::ranges::find(ledger.entries, key, &Entry::key);
  return found == ledger.entries.end() ? 0 : found->id;
}

const Account* Accounts::of(EntityId device, const std::string& owner_key) const {
  const auto ledger = ledgers_.find(device.bits);
  if (ledger == ledgers_.end()) return nullptr;
  const auto found = std::ranges::find(ledger->second.entries, owner_key, &Entry::key);
  return found == ledger->second.entries.end() ? nullptr : &found->account;
}

const Account* Accounts::unattributed(EntityId device) const {
  const auto ledger = ledgers_.find(device.bits);
  return ledger == ledgers_.end() ? nullptr : &ledger->second.unattributed;
}

}  // namespace warpsight::identity
