#include "sources/kubernetes/pod_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "net/foreign_text.h"

namespace warpsight::kubernetes {
namespace {

constexpr size_t kMostLabels = 256;  // of a pod
constexpr size_t kExamples = 3;
constexpr size_t kExampleLength = 80;

std::string owner_key(const std::string& space, const std::string& pod, const std::string& uid,
                      const std::string& container) {
  return uid.empty() ? fmt::format("pod/{}/{}/{}", space, pod, container)
                     : fmt::format("pod/{}/{}", uid, container);
}

void add_if_known(std::vector<Attribute>& to, std::string_view key, const std::string& value) {
  if (!value.empty()) to.push_back({std::string(key), value});
}

}  // namespace

// The report while it is being made.
class PodOwners::Draft {
 public:
  Draft(const PodOwnerSettings& settings, const DeviceIds& ids, const Metadata& metadata)
      : settings_(settings), ids_(ids), metadata_(metadata) {}

  void add_pod(const Pod& pod) {
    const std::vector<Attribute> shared = attributes_of(pod);
    for (const PodContainer& container : pod.containers) add_owner(pod, container, shared);
  }

  void add_grants(const PodGrants& grants, const Pod* pod) {
    for (const ContainerGrants& container : grants.containers) {
      const std::string key =
          owner_key(grants.space, grants.name, pod == nullptr ? "" : pod->uid, container.name);
      if (!hold(container, key)) continue;
      holders_.insert(key);
      if (pod == nullptr) {
        const Pod unknown{.uid = {}, .space = grants.space, .name = grants.name};
        add_owner(unknown, {.name = container.name, .id = {}}, attributes_of(unknown));
      } else if (std::ranges::find(pod->containers, container.name, &PodContainer::name) ==
                 pod->containers.end()) {
        add_owner(*pod, {.name = container.name, .id = {}}, attributes_of(*pod));
      }
    }
  }

  void add_allocatable(const GrantedDevices& devices) {
    for (const std::string& id : devices.ids) {
      if (auto device = ids_.device(devices.resource, id)) out_.managed.push_back(*device);
    }
  }

  void hold_back() { ++held_back_; }
  void hold_until_listed() { ++ambiguous_; }

  Ownership finish() {
    std::ranges::sort(out_.owners, {}, &Owner::key);
    const auto again = std::ranges::unique(out_.owners, {}, &Owner::key);
    out_.owners.erase(again.begin(), again.end());
    std::ranges::sort(out_.holdings, {},
                      [](const Holding& h) { return std::tie(h.owner, h.device, h.evidence); });
    const auto twice = std::ranges::unique(out_.holdings);
    out_.holdings.erase(twice.begin(), twice.end());
    for (const Holding& holding : out_.holdings) out_.managed.push_back(holding.device);
    std::ranges::sort(out_.managed);
    const auto same = std::ranges::unique(out_.managed);
    out_.managed.erase(same.begin(), same.end());
    out_.lookups.push_back({"GPUs given to containers", summary()});
    return std::move(out_);
  }

 private:
  std::vector<Attribute> attributes_of(const Pod& pod) const {
    std::vector<Attribute> list = {{"k8s.namespace.name", pod.space}, {"k8s.pod.name", pod.name}};
    add_if_known(list, "k8s.pod.uid", pod.uid);
    for (const auto* more : {&metadata_.node(), &pod.workload}) {
      list.insert(list.end(), more->begin(), more->end());
    }
    add_labels(pod, list);
    return list;
  }

  // Those that leave the agent before those that may have to be left out.
  void add_labels(const Pod& pod, std::vector<Attribute>& list) const {
    size_t count = 0;
    for (const bool leaving : {true, false}) {
      for (const Attribute& label : pod.labels) {
        if (leaves(label.key) != leaving) continue;
        if (count++ == kMostLabels) return;
        list.push_back({(leaving ? "k8s.pod.label." : ".k8s.pod.label.") + label.key, label.value});
      }
    }
  }

  bool leaves(const std::string& label) const {
    return std::ranges::any_of(settings_.labels,
                               [&](const std::string& l) { return l == "*" || l == label; });
  }

  void add_owner(const Pod& pod, const PodContainer& container,
                 const std::vector<Attribute>& shared) {
    Owner owner{.kind = OwnerKind::pod,
                .key = owner_key(pod.space, pod.name, pod.uid, container.name),
                .attributes = shared};
    owner.attributes.push_back({"k8s.container.name", container.name});
    add_if_known(owner.attributes, "container.id", container.id);
    if (!container.id.empty()) owner.aliases.push_back("container/" + container.id);
    if (pod.containers.size() == 1 && !pod.uid.empty()) owner.aliases.push_back("pod/" + pod.uid);
    out_.owners.push_back(std::move(owner));
  }

  // Whether the container has a GPU.
  bool hold(const ContainerGrants& container, const std::string& key) {
    const size_t before = out_.holdings.size();
    for (const GrantedDevices& devices : container.devices) {
      if (ids_.vendor(devices.resource).empty()) continue;
      for (const std::string& id : devices.ids) {
        hold(key, ids_.device(devices.resource, id), "pod_resources", devices.resource, id);
      }
    }
    for (const ClaimedDevice& claimed : container.claimed) {
      const auto device = device_of(claimed);
      if (!device && !claimed.driver.starts_with("gpu.")) continue;
      hold(key, device, "dra", claimed.driver, claimed.device);
    }
    return out_.holdings.size() > before;
  }

  void hold(const std::string& owner, const std::optional<DeviceName>& device,
            std::string_view evidence, const std::string& resource, const std::string& id) {
    if (device) {
      out_.holdings.push_back(
          {.owner = owner, .device = *device, .evidence = std::string(evidence)});
    } else if (nameless_++ < kExamples) {
      examples_.push_back(printable_beginning(fmt::format("{} {}", resource, id), kExampleLength));
    }
  }

  std::optional<DeviceName> device_of(const ClaimedDevice& claimed) const {
    auto device = metadata_.device(claimed.driver, claimed.pool, claimed.device);
    for (const std::string& name : claimed.cdi) {
      if (device) break;
      device = device_of_cdi(name);
    }
    return device;
  }

  std::string summary() const {
    std::string text = fmt::format("{} devices given to {} containers, of {} devices known",
                                   out_.holdings.size(), holders_.size(), out_.managed.size());
    if (held_back_ > 0) text += fmt::format("; {} pods wait for their metadata", held_back_);
    if (ambiguous_ > 0) {
      text += fmt::format("; {} pods wait for the kubelet's next list: two pods had one name",
                          ambiguous_);
    }
    if (nameless_ > 0) {
      text += fmt::format("; {} ids name no known GPU, such as {}", nameless_,
                          fmt::join(examples_, ", "));
    }
    return text;
  }

  const PodOwnerSettings& settings_;
  const DeviceIds& ids_;
  const Metadata& metadata_;
  Ownership out_;
  std::set<std::string> holders_;  // keys
  size_t held_back_ = 0;
  size_t ambiguous_ = 0;
  size_t nameless_ = 0;
  std::vector<std::string> examples_;
};

bool PodOwners::listed(const std::vector<PodGrants>& pods, const Metadata& metadata,
                       SteadyTime now) {
  std::map<Name, Listed> still;
  wants_list_ = false;
  for (const PodGrants& grants : pods) {
    const Name name(grants.space, grants.name);
    const auto before = listed_.find(name);
    const auto [at, first] = still.try_emplace(
        name, before == listed_.end() ? Listed{.uid = {}, .since = now} : before->second);
    Listed& entry = at->second;
    // Of two at a time nobody can tell which is which.
    entry.ambiguous = !first;
    const auto known = metadata.pods().find(name);
    if (!first || known == metadata.pods().end()) continue;
    // The kubelet may still have meant the one before.
    entry.ambiguous = !entry.uid.empty() && entry.uid != known->second.uid;
    wants_list_ = wants_list_ || entry.ambiguous;
    entry.uid = known->second.uid;
  }
  const bool changed = still != listed_;
  listed_ = std::move(still);
  return changed;
}

PodOwners::Verdict PodOwners::verdict(const PodGrants& grants, const Metadata& metadata,
                                      SteadyTime now) {
  using Telling = Verdict::Telling;
  const Name name(grants.space, grants.name);
  const auto listed = listed_.find(name);
  if (listed == listed_.end()) return {.telling = Telling::never};
  if (listed->second.ambiguous) return {.telling = Telling::when_listed};
  std::string& uid = listed->second.uid;
  if (const auto found = metadata.pods().find(name); found != metadata.pods().end()) {
    const Pod& pod = found->second;
    if (uid.empty()) uid = pod.uid;
    if (uid != pod.uid || pod.ended) return {.telling = Telling::never};
    return {.telling = Telling::by_metadata, .pod = &pod};
  }
  const bool gone = !uid.empty() && metadata.synced();
  if (gone) return {.telling = Telling::never};
  const bool hopeless = metadata.pods().empty() && !metadata.problem().empty();
  const SteadyTime when =
      listed->second.since + (hopeless ? Duration::zero() : settings_.metadata_patience);
  if (now < when) return {.telling = Telling::later, .when = when};
  return {.telling = Telling::by_names};
}

Ownership PodOwners::tell(const std::vector<PodGrants>& pods,
                          const std::vector<GrantedDevices>& allocatable, const Metadata& metadata,
                          SteadyTime now) {
  using Telling = Verdict::Telling;
  next_change_ = SteadyTime::max();
  Draft draft(settings_, ids_, metadata);
  for (const auto& [name, pod] : metadata.pods()) {
    if (!pod.ended) draft.add_pod(pod);
  }
  for (const PodGrants& grants : pods) {
    const Verdict given = verdict(grants, metadata, now);
    if (given.telling == Telling::by_metadata || given.telling == Telling::by_names) {
      draft.add_grants(grants, given.pod);
    } else if (given.telling == Telling::later) {
      next_change_ = std::min(next_change_, given.when);
      draft.hold_back();
    } else if (given.telling == Telling::when_listed) {
      draft.hold_until_listed();
    }
  }
  for (const GrantedDevices& devices : allocatable) draft.add_allocatable(devices);
  return draft.finish();
}

}  // namespace warpsight::kubernetes
