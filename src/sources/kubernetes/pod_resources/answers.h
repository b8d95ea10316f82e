// Answers of the kubelet's pod-resources API, version 1: which devices were given to which
// containers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace warpsight::kubernetes {

// Devices of one resource, by the ids of their device plugin.
struct GrantedDevices {
  std::string resource;  // "nvidia.com/gpu"
  std::vector<std::string> ids;

  friend bool operator==(const GrantedDevices&, const GrantedDevices&) = default;
};

// A device of a resource claim.
struct ClaimedDevice {
  std::string driver;  // "gpu.nvidia.com"
  std::string pool;
  std::string device;
  std::vector<std::string> cdi;  // names

  friend bool operator==(const ClaimedDevice&, const ClaimedDevice&) = default;
};

struct ContainerGrants {
  std::string name;
  std::vector<GrantedDevices> devices;
  std::vector<ClaimedDevice> claimed;

  friend bool operator==(const ContainerGrants&, const ContainerGrants&) = default;
};

struct PodGrants {
  std::string space;  // its namespace
  std::string name;
  std::vector<ContainerGrants> containers;

  friend bool operator==(const PodGrants&, const PodGrants&) = default;
};

// Far beyond what a node has; an answer with more is refused.
inline constexpr size_t kMostPods = 5'000;
inline constexpr size_t kMostContainers = 20'000;
inline constexpr size_t kMostDevices = 100'000;

// Of List. Fields that are not known are passed over; names that Kubernetes would not have are an
// error.
Result<std::vector<PodGrants>> decode_pods(std::string_view bytes);

// Of GetAllocatableResources.
Result<std::vector<GrantedDevices>> decode_allocatable(std::string_view bytes);

}  // namespace warpsight::kubernetes
