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

// The source by which processes tell of themselves.
constexpr std::string_view kProcesses = "processes";
// Evidence that a process could have made up.
constexpr std::string_view kEnvironment = "slurm_env";

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
      for (const Owner& owner : report.ownership->owners) meet(owner, report.source);
      knows_jobs_ |= report.ownership->managed_for == OwnerKind::slurm_job;
    }
    for (const Report& report : reports_) hold(*report.ownership);
    index_members();
    find_uses();
    for (auto& [place, tenure] : tenures_) out_.tenures.push_back(std::move(tenure));
    return std::move(out_);
  }

 private:
  void meet(const Owner& owner, std::string_view source) {
    auto known = out_.by_key.find(owner.key);
    for (auto alias = owner.aliases.begin();
         known == out_.by_key.end() && alias != owner.aliases.end(); ++alias) {
      known = out_.by_key.find(*alias);
    }
    const size_t place = known == out_.by_key.end() ? out_.owners.size() : known->second;
    if (place == out_.owners.size()) {
      out_.owners.push_back({owner.kind, owner.key, owner.attributes, source != kProcesses});
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
    const auto owner = owner_of(*member->second, use.device);
    if (!owner) return;
    use.owner = owner;
    use.evidence = member->second->evidence;
    if (use.evidence == kEnvironment && out_.owners[*owner].kind != OwnerKind::slurm_job) {
      // Its environment was not believed.
      use.evidence = "proc";
      std::erase_if(use.attributes, [](const Attribute& a) { return a.key.starts_with("slurm."); });
    }
    Tenure& used = tenure(use.device, *owner);
    add_once(used.used_by, use.evidence);
    used.uses.push_back(place);
  }

  // The first that somebody told of, else the first that its processes tell of themselves.
  std::optional<size_t> owner_of(const Member& member, size_t device) const {
    for (const bool told : {true, false}) {
      for (const std::string& key : member.owners) {
        const auto known = out_.by_key.find(key);
        if (known == out_.by_key.end()) continue;
        const KnownOwner& owner = out_.owners[known->second];
        if (owner.told != told || !is_credible(member, owner)) continue;
        if (!told && owner.kind == OwnerKind::pod && is_held_by_name(device)) return std::nullopt;
        return known->second;
      }
    }
    return std::nullopt;
  }

  // Anybody can put a job into an environment: the job must be there, and its user's.
  bool is_credible(const Member& member, const KnownOwner& owner) const {
    if (member.evidence != kEnvironment || owner.kind != OwnerKind::slurm_job) return true;
    if (knows_jobs_ && !owner.told) return false;
    const auto user = std::ranges::find(member.attributes, "process.owner", &Attribute::key);
    return user == member.attributes.end() || owner.attribute("slurm.user").empty() ||
           owner.attribute("slurm.user") == user->value;
  }

  // Held by a pod of which only the name is known: it may be the very one that a process knows by
  // its container's id alone.
  bool is_held_by_name(size_t device) const {
    return std::ranges::any_of(tenures_, [&](const auto& item) {
      const KnownOwner& owner = out_.owners[item.second.owner];
      return item.second.device == device && item.second.held() && owner.kind == OwnerKind::pod &&
             owner.attribute("k8s.pod.uid").empty();
    });
  }

  const EntityTable& entities_;
  std::span<const Report> reports_;
  Joined out_;
  std::map<std::pair<size_t, size_t>, Tenure> tenures_;
  std::unordered_map<pid_t, const Member*> members_;
  std::vector<size_t> resolved_;
  bool knows_jobs_ = false;  // somebody lists Slurm's jobs
};

}  // namespace

std::string_view KnownOwner::attribute(std::string_view attribute_key) const {
  const auto found = std::ranges::find(attributes, attribute_key, &Attribute::key);
  return found == attributes.end() ? std::string_view{} : std::string_view(found->value);
}

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
