// The pods of this node, with the workloads they belong to.
#pragma once

#include <set>

#include "sources/kubernetes/api/list_watch.h"
#include "sources/kubernetes/api/owner_lookups.h"
#include "sources/kubernetes/api/pod_json.h"

namespace warpsight::kubernetes {

class PodStore final : public ObjectStore {
 public:
  static constexpr size_t kMostPods = 1000;

  // `owners` must outlive it. Null: nobody can be asked for them, and a Deployment above
  // a ReplicaSet is not told.
  explicit PodStore(OwnerLookups* owners) : owners_(owners) {}

  void list_begins() override;
  void list_ends() override;
  void put(Json object) override;
  void remove(Json object) override;

  // Takes over what became known of owners.
  void refresh();

  const Pods& pods() const { return pods_; }
  // Grows whenever pods() is not as it was.
  uint64_t changes() const { return changes_; }
  // How many pods of the last list were left out for being too many.
  size_t left_out() const { return left_out_; }

 private:
  using Key = Pods::key_type;

  void set_workload(Pod& pod, const std::vector<Attribute>& before);

  OwnerLookups* owners_;
  uint64_t answers_seen_ = 0;
  Pods pods_;
  std::map<Key, Controller> controllers_;
  bool listing_ = false;
  std::set<Key> listed_;
  size_t left_out_ = 0;
  uint64_t changes_ = 0;
};

// The attributes of a pod whose controller this is, and of what is above it where that is known.
std::vector<Attribute> workload_of(const Controller& controller,
                                   const std::optional<Controller>& above);

}  // namespace warpsight::kubernetes
