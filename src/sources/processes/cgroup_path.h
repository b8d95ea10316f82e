// Whose a process is, as its cgroups tell: a pod's, a Slurm job's, a container's. Pure functions
// over what /proc/PID/cgroup says; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsight::processes {

struct CgroupOwner {
  // As the kubelet writes it: a UUID in small letters, or the 32 hexadecimal digits of a static
  // pod's configuration, which are not its uid at the API server.
  std::string pod_uid;
  // 64 hexadecimal digits, or the name of an LXC container. Of several inside each other the
  // outermost, which is what this node's runtime knows; of a pod always the pod's own.
  std::string container_id;
  std::string runtime;      // "containerd", "cri-o", "docker", "podman", "lxc"; empty: not told
  bool kubernetes = false;  // the container is a pod's, even where the pod is not told
  // The container's group is in a user's own tree, where names are whatever that user likes.
  bool users_container = false;
  std::string slurm_job;
  std::string slurm_step;  // "0", "0.1", "0+1", "batch", "extern", "interactive"; empty: not told
  std::optional<uint32_t> slurm_uid = {};
  // Something more than "/" or a way up out of a cgroup namespace was there to see.
  bool path_seen = false;
  // Two controllers name different owners of one kind: neither is told.
  bool contradictory = false;

  friend bool operator==(const CgroupOwner&, const CgroupOwner&) = default;
};

// Of one path: "/kubepods.slice/kubepods-podUID.slice/cri-containerd-ID.scope".
CgroupOwner parse_cgroup_path(std::string_view path);

// Of the whole file: lines of v1 ("4:memory:/PATH"), v2 ("0::/PATH") or both.
CgroupOwner parse_cgroup(std::string_view text);

// Whether a group of that name is one that Slurm keeps its jobs in.
bool is_slurm_root(std::string_view name);

// Whether it is the id of a Slurm job: a number, not nought.
bool is_slurm_job(std::string_view text);

// Whether it is the id of a container: 64 hexadecimal digits.
bool is_container_id(std::string_view text);

}  // namespace warpsight::processes
