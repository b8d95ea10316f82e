#include "sources/kubernetes/api/pod_json.h"

#include <algorithm>
#include <array>

namespace warpsight::kubernetes {
namespace {

constexpr size_t kLongestName = 253;
constexpr size_t kLongestKey = 320;
constexpr size_t kLongestValue = 1024;
constexpr size_t kMostLabels = 512;
constexpr size_t kMostContainers = 128;

// Of a pod that the kubelet read from a file: the server shows a copy, with a uid of its own.
constexpr std::string_view kMirrorMark = "kubernetes.io/config.mirror";
constexpr std::string_view kMirroredUid = "kubernetes.io/config.hash";

struct WorkloadKind {
  std::string_view group;
  std::string_view kind;
  std::string_view attribute;
};

constexpr std::array kWorkloads = {
    WorkloadKind{"apps", "ReplicaSet", "k8s.replicaset.name"},
    WorkloadKind{"apps", "Deployment", "k8s.deployment.name"},
    WorkloadKind{"apps", "StatefulSet", "k8s.statefulset.name"},
    WorkloadKind{"apps", "DaemonSet", "k8s.daemonset.name"},
    WorkloadKind{"batch", "Job", "k8s.job.name"},
    WorkloadKind{"batch", "CronJob", "k8s.cronjob.name"},
};

bool fits(std::string_view text, size_t limit) { return !text.empty() && text.size() <= limit; }

std::string bounded(std::string_view text, size_t limit) {
  return std::string(text.size() <= limit ? text : std::string_view{});
}

std::vector<Attribute> read_labels(Json map) {
  std::vector<Attribute> labels;
  map.for_each_member([&](std::string_view key, Json value) {
    const std::string_view text = value.text();
    if (labels.size() < kMostLabels && fits(key, kLongestKey) && text.size() <= kLongestValue) {
      labels.push_back({std::string(key), std::string(text)});
    }
  });
  return labels;
}

PodContainer& container_named(std::vector<PodContainer>& containers, std::string_view name) {
  const auto found = std::ranges::find(containers, name, &PodContainer::name);
  return found != containers.end() ? *found
                                   : containers.emplace_back(PodContainer{std::string(name), {}});
}

// "containerd://7dcd" is "7dcd".
std::string_view bare_id(std::string_view id) {
  const size_t scheme = id.find("://");
  return scheme == std::string_view::npos ? id : id.substr(scheme + 3);
}

std::vector<PodContainer> read_containers(Json spec, Json status) {
  std::vector<PodContainer> containers;
  const auto add = [&](Json one) {
    const std::string_view name = one["name"].text();
    const std::string_view id = bare_id(one["containerID"].text());
    if (!fits(name, kLongestName) || containers.size() >= kMostContainers) return;
    PodContainer& container = container_named(containers, name);
    if (fits(id, kLongestName)) container.id = id;
  };
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    spec[list].for_each([&](Json one) { add(one); });
  }
  for (const char* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    status[list].for_each([&](Json one) { add(one); });
  }
  return containers;
}

}  // namespace

std::optional<Controller> read_controller(Json object) {
  std::optional<Controller> found;
  object["metadata"]["ownerReferences"].for_each([&](Json reference) {
    const std::string_view kind = reference["kind"].text();
    const std::string_view name = reference["name"].text();
    if (found || reference["controller"].boolean() != true || !fits(kind, kLongestName) ||
        !fits(name, kLongestName)) {
      return;
    }
    const std::string_view version = reference["apiVersion"].text();
    const size_t slash = version.find('/');
    found = Controller{.kind = std::string(kind),
                       .group = slash == std::string_view::npos
                                    ? ""
                                    : bounded(version.substr(0, slash), kLongestName),
                       .name = std::string(name),
                       .uid = bounded(reference["uid"].text(), kLongestName)};
  });
  return found;
}

std::string_view workload_attribute(const Controller& controller) {
  for (const WorkloadKind& workload : kWorkloads) {
    if (controller.is(workload.group, workload.kind)) return workload.attribute;
  }
  return {};
}

std::optional<DescribedPod> read_pod(Json pod) {
  const Json metadata = pod["metadata"];
  const Json status = pod["status"];
  const Json annotations = metadata["annotations"];
  const std::string_view uid =
      annotations[kMirrorMark].exists() && annotations[kMirroredUid].exists()
          ? annotations[kMirroredUid].text()
          : metadata["uid"].text();
  const std::string_view space = metadata["namespace"].text();
  const std::string_view name = metadata["name"].text();
  if (!fits(uid, kLongestName) || !fits(space, kLongestName) || !fits(name, kLongestName)) {
    return std::nullopt;
  }
  const std::string_view phase = status["phase"].text();
  return DescribedPod{.pod = {.uid = std::string(uid),
                              .space = std::string(space),
                              .name = std::string(name),
                              .ended = phase == "Succeeded" || phase == "Failed",
                              .labels = read_labels(metadata["labels"]),
                              .containers = read_containers(pod["spec"], status)},
                      .controller = read_controller(pod)};
}

}  // namespace warpsight::kubernetes
