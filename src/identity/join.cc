#include "identity/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace warpsight::identity {
namespace {

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

class Joiner {
 public:
  Joiner(const EntityTable& entities, std::span<const Report> reports)
      : entities_(entities), reports_(reports) {
    out_.devices = Devices(entities);
    out_.managed_for_pods.resize(out_.devices.all().size());
    out_.managed_for_jobs.resize(out_.devices.all().size());
  }

  Joined finish() && {
    for (const Report& report : reports_) {
      for (const Owner& owner : report.ownership->owners) meet(owner);
    }
    for (const Report& report : reports_) hold(*report.ownership);
    index_members();
    find_uses();
    for (auto& [place, tenure] : tenures_) out_.tenures.push_back(std::move(tenure));
    return std::move(out_);
  }

 private:
  void meet(const Owner& owner) {
    auto known = out_.by_key.find(owner.key);
    for (auto alias = owner.aliases.begin();
         known == out_.by_key.end() && alias != owner.aliases.end(); ++alias) {
      known = out_.by_key.find(*alias);
    }
    const size_t place = known == out_.by_key.end() ? out_.owners.size() : known->second;
    if (place == out_.owners.size()) {
      out_.owners.push_back({owner.kind, owner.key, owner.attributes});
    } else {
      fill_gaps(out_.owners[place].attributes, owner.attributes);
    }
    out_.by_key.try_emplace(owner.key, place);
    for (const std::string& alias : owner.aliases) out_.by_key.try_emplace(alias, place);
  }

  static void fill_gaps(std::vector<Attribute>& known, const std::vector<Attribute>& more) {
    for (const Attribute& a : more) {
      if (std::ranges::find(known, a.key, &Attribute::key) == known.end()) known.push_back(a);
    }
  }

  Tenure& tenure(size_t device, size_t owner) {
    const auto [found, is_new] = tenures_.try_emplace({device, owner});
    if (is_new) {
      found->second.device = device;
      found->second.owner = owner;
    }
    return found->second;
  }

  void hold(const Ownership& ownership) {
    for (const Holding& holding : ownership.holdings) {
      const auto owner = out_.by_key.find(holding.owner);
      if (owner == out_.by_key.end()) continue;
      for (const size_t device : resolve(holding.device)) {
        add_once(tenure(device, owner->second).held_by, holding.evidence);
        manage(device, out_.owners[owner->second].kind);
      }
    }
    for (const DeviceName& name : ownership.managed) {
      for (const size_t device : resolve(name)) manage(device, ownership.managed_for);
    }
  }

  void manage(size_t device, OwnerKind kind) {
    if (kind == OwnerKind::pod) out_.managed_for_pods[device] = true;
    if (kind == OwnerKind::slurm_job) out_.managed_for_jobs[device] = true;
  }

  const std::vector<size_t>& resolve(const DeviceName& name) {
    resolved_.clear();
    out_.devices.resolve(name, resolved_);
    return resolved_;
  }

  void index_members() {
    for (const Report& report : reports_) {
      for (const Member& member : report.ownership->members)
        members_.try_emplace(member.pid, &member);
    }
  }

  void find_uses() {
    entities_.for_each(EntityKind::process, [&](EntityId id, const Entity& entity) {
      Use use;
      use.process = id;
      use.device = out_.devices.find(entity.parent);
      if (use.device == out_.devices.all().size()) return;
      for (const Attribute& a : entity.attributes) {
        if (a.key == "process.pid") use.pid = a.value;
      }
      out_.uses.push_back(std::move(use));
    });
    for (size_t i = 0; i < out_.uses.size(); ++i) attribute_use(i);
  }

  void attribute_use(size_t place) {
    Use& use = out_.uses[place];
    pid_t pid = 0;
    std::from_chars(use.pid.data(), use.pid.data() + use.pid.size(), pid);
    const auto member = members_.find(pid);
    if (member == members_.end()) return;
    use.attributes = member->second->attributes;
    for (const std::string& key : member->second->owners) {
      const auto owner = out_.by_key.find(key);
      if (owner == out_.by_key.end()) continue;
      use.owner = owner->second;
      use.evidence = member->second->evidence;
      Tenure& used = tenure(use.device, owner->second);
      add_once(used.used_by, use.evidence);
      used.uses.push_back(place);
      return;
    }
  }

  const EntityTable& entities_;
  std::span<const Report> reports_;
  Joined out_;
  std::map<std::pair<size_t, size_t>, Tenure> tenures_;
  std::unordered_map<pid_t, const Member*> members_;
  std::vector<size_t> resolved_;
};

}  // namespace

std::span<const Tenure> Joined::tenures_of(size_t device) const {
  const auto found = std::ranges::equal_range(tenures, device, {}, &Tenure::device);
  return {found.begin(), found.end()};
}

bool Joined::has_unknown_uses(size_t device) const {
  return std::ranges::any_of(uses, [&](const Use& u) { return u.device == device && !u.owner; });
}

const Tenure* Joined::sole(size_t device) const {
  const auto here = tenures_of(device);
  if (here.size() != 1) return nullptr;
  return here.front().held() || !has_unknown_uses(device) ? &here.front() : nullptr;
}

std::string place_of(const Joined& joined, const Tenure& tenure) {
  return fmt::format("{}/{}", joined.devices.all()[tenure.device].entity.bits,
                     joined.owners[tenure.owner].key);
}

Joined join(const EntityTable& entities, std::span<const Report> reports) {
  return Joiner(entities, reports).finish();
}

}  // namespace warpsight::identity
