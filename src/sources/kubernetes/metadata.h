// What is known of this node's pods besides their devices: whose they are, and how they are doing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/entity.h"
#include "core/ownership.h"

namespace warpsight::kubernetes {

struct PodContainer {
  std::string name;
  std::string id;  // as in cgroup paths, without "containerd://"; empty until it was created

  friend bool operator==(const PodContainer&, const PodContainer&) = default;
};

struct Pod {
  std::string uid;
  std::string space;  // its namespace
  std::string name;
  bool ended = false;  // Succeeded or Failed: its devices are free, whatever the kubelet lists
  // As its author wrote them: key and value.
  std::vector<Attribute> labels = {};
  // k8s.replicaset.name, k8s.deployment.name, k8s.statefulset.name, k8s.daemonset.name,
  // k8s.job.name, k8s.cronjob.name; k8s.owner.kind and k8s.owner.name for owners of other kinds.
  std::vector<Attribute> workload = {};
  std::vector<PodContainer> containers = {};  // those of init and the ephemeral ones, too

  friend bool operator==(const Pod&, const Pod&) = default;
};

// By namespace and name.
using Pods = std::map<std::pair<std::string, std::string>, Pod>;

// For one thread. Whoever asks drives it: nothing happens between calls.
class Metadata {
 public:
  virtual ~Metadata() = default;

  // Goes on with what is under way, and begins what is due; waits no longer than `patience` for
  // answers. True when something below is not as it was.
  virtual bool advance(Duration patience) = 0;

  // Whether everything was known at least once. Until then, a pod that is not found may exist.
  virtual bool synced() const = 0;

  virtual const Pods& pods() const = 0;

  // k8s.node.name, and cloud.* from the node's labels.
  virtual const std::vector<Attribute>& node() const = 0;

  // The device behind a DRA claim, as the node's ResourceSlices name it.
  virtual std::optional<DeviceName> device(std::string_view driver, std::string_view pool,
                                           std::string_view device) const = 0;

  // What was asked last, and the answers.
  virtual std::vector<Lookup> lookups() const = 0;

  // What keeps it from knowing all, with what to do; empty when nothing does.
  virtual std::string problem() const = 0;
};

}  // namespace warpsight::kubernetes
