// Puts together what the kubelet says of devices and what metadata says of pods: who owns what.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/ownership.h"
#include "sources/kubernetes/device_ids.h"
#include "sources/kubernetes/metadata.h"
#include "sources/kubernetes/pod_resources/answers.h"

namespace warpsight::kubernetes {

struct PodOwnerSettings {
  std::vector<std::string> labels = {};  // that leave the agent; "*": all
  // How long a pod without metadata is held back, so that it does not change its key a second
  // after it appeared; then it is told by its names. At once where no metadata can be had.
  Duration metadata_patience = std::chrono::seconds{5};
};

// The kubelet knows pods by their names alone. A name may pass from one pod to the next: devices
// that were listed for the one are never told of the other, and none at all where a list may mean
// either: it names two pods alike, or is the first since metadata knows the next one.
class PodOwners {
 public:
  PodOwners(PodOwnerSettings settings, DeviceIds ids)
      : settings_(std::move(settings)), ids_(std::move(ids)) {}

  // The kubelet has just listed these: where metadata knows a name, that pod is meant. True when
  // anything is meant otherwise than before.
  bool listed(const std::vector<PodGrants>& pods, const Metadata& metadata, SteadyTime now);

  // What is known, in an order of its own. `pods` are those of the last listed().
  Ownership tell(const std::vector<PodGrants>& pods, const std::vector<GrantedDevices>& allocatable,
                 const Metadata& metadata, SteadyTime now);

  // Whether the last list left open whose devices are whose, and the next should tell.
  bool wants_list() const { return wants_list_; }

  // When the next pod that is held back will be told by its names.
  SteadyTime next_change() const { return next_change_; }

 private:
  using Name = std::pair<std::string, std::string>;  // namespace and name
  struct Listed {
    std::string uid;   // empty: metadata has not known it yet
    SteadyTime since;  // it was listed first
    bool ambiguous = false;

    friend bool operator==(const Listed&, const Listed&) = default;
  };
  class Draft;

  struct Verdict {
    enum class Telling : uint8_t { by_metadata, by_names, later, when_listed, never } telling;
    const Pod* pod = nullptr;
    SteadyTime when = {};  // later
  };

  Verdict verdict(const PodGrants& grants, const Metadata& metadata, SteadyTime now);

  PodOwnerSettings settings_;
  DeviceIds ids_;
  std::map<Name, Listed> listed_;
  bool wants_list_ = false;
  SteadyTime next_change_ = SteadyTime::max();
};

}  // namespace warpsight::kubernetes
