#include "sources/kubernetes/api/pod_store.h"

#include <algorithm>
#include <utility>

namespace warpsight::kubernetes {
namespace {

using Knowledge = OwnerLookups::Knowledge;

void append_workload(std::vector<Attribute>& workload, const Controller& controller) {
  const std::string_view attribute = workload_attribute(controller);
  if (!attribute.empty()) {
    workload.push_back({std::string(attribute), controller.name});
    return;
  }
  workload.push_back({"k8s.owner.kind", controller.kind});
  workload.push_back({"k8s.owner.name", controller.name});
}

}  // namespace

std::vector<Attribute> workload_of(const Controller& controller,
                                   const std::optional<Controller>& above) {
  std::vector<Attribute> workload;
  append_workload(workload, controller);
  if (above) append_workload(workload, *above);
  return workload;
}

void PodStore::set_workload(Pod& pod, const std::vector<Attribute>& before) {
  const auto controller = controllers_.find({pod.space, pod.name});
  if (controller == controllers_.end()) return;
  OwnerLookups::Above above{.knowledge = Knowledge::refused};
  if (owners_ != nullptr) above = owners_->above(controller->second, pod.space);
  if (above.knowledge == Knowledge::pending && !before.empty()) {
    pod.workload = before;
    return;
  }
  pod.workload = workload_of(controller->second, above.controller);
}

void PodStore::list_begins() {
  listing_ = true;
  listed_.clear();
  left_out_ = 0;
}

void PodStore::list_ends() {
  listing_ = false;
  const size_t before = pods_.size();
  std::erase_if(pods_, [&](const auto& item) { return !listed_.contains(item.first); });
  std::erase_if(controllers_, [&](const auto& item) { return !listed_.contains(item.first); });
  if (pods_.size() != before) ++changes_;
  listed_.clear();
}

void PodStore::put(Json object) {
  auto described = read_pod(object);
  if (!described) return;
  Pod& pod = described->pod;
  const Key key{pod.space, pod.name};
  const auto known = pods_.find(key);
  const size_t counted = listing_ ? listed_.size() : pods_.size();
  if (known == pods_.end() && counted >= kMostPods) {
    ++left_out_;
    return;
  }
  if (listing_) listed_.insert(key);
  controllers_.erase(key);
  if (described->controller) controllers_.emplace(key, std::move(*described->controller));
  const bool same = known != pods_.end() && known->second.uid == pod.uid;
  set_workload(pod, same ? known->second.workload : std::vector<Attribute>{});
  if (known != pods_.end() && known->second == pod) return;
  pods_.insert_or_assign(key, std::move(pod));
  ++changes_;
}

void PodStore::remove(Json object) {
  const auto described = read_pod(object);
  if (!described) return;
  const auto known = pods_.find({described->pod.space, described->pod.name});
  if (known == pods_.end() || known->second.uid != described->pod.uid) return;
  controllers_.erase(known->first);
  pods_.erase(known);
  ++changes_;
}

void PodStore::refresh() {
  if (owners_ == nullptr || owners_->answers() == answers_seen_) return;
  answers_seen_ = owners_->answers();
  for (auto& [key, pod] : pods_) {
    const std::vector<Attribute> before = std::exchange(pod.workload, {});
    set_workload(pod, before);
    if (pod.workload != before) ++changes_;
  }
}

}  // namespace warpsight::kubernetes
