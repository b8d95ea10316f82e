// Pods and owners as the API server and the kubelet write them.
#pragma once

#include <optional>
#include <string>

#include "sources/kubernetes/metadata.h"
#include "wire/json_text.h"

namespace warpsight::kubernetes {

// The object that made another one and answers for it.
struct Controller {
  std::string kind;
  std::string group;  // of its API: "apps"; empty: the core group
  std::string name;
  std::string uid;

  bool is(std::string_view other_group, std::string_view other_kind) const {
    return group == other_group && kind == other_kind;
  }
  friend bool operator==(const Controller&, const Controller&) = default;
};

struct DescribedPod {
  Pod pod;  // without its workload
  std::optional<Controller> controller;
};

// nullopt where uid, namespace or name are missing or too long. What is too long or too much of
// the rest is left out.
std::optional<DescribedPod> read_pod(Json pod);

// Of any object, by its ownerReferences.
std::optional<Controller> read_controller(Json object);

// "k8s.deployment.name" for a Deployment; empty for kinds that have no attribute of their own.
std::string_view workload_attribute(const Controller& controller);

}  // namespace warpsight::kubernetes
