// Who holds which device, and to whom a process belongs, as one source found out. A source says it
// whole whenever it changed; the identity analysis joins what all sources say.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"

namespace warpsight {

enum class OwnerKind : uint8_t { pod, slurm_job, container, process };

// Somebody who may own a device. Keys are the same in every report, so that two sources speak of
// one owner:
//   pod/UID/CONTAINER           a container of a pod
//   pod/NAMESPACE/NAME/CONTAINER  where the pod's uid is not known
//   slurm/JOBID                 a Slurm job, by its raw id (not ARRAY_TASK, not HET+OFFSET)
//   container/ID                a container outside Kubernetes
//   container/user/ID           one in a cgroup that a user named himself
//   process/PID/STARTTIME       a process that belongs to none of these
struct Owner {
  OwnerKind kind = OwnerKind::process;
  std::string key;
  // Other keys that name the same owner: "container/ID" of a pod's container, "pod/UID" of a pod
  // with one container.
  std::vector<std::string> aliases = {};
  // k8s.*, slurm.*, container.*, process.*. Private ones (".k8s.pod.label.team") are there for the
  // tenant's rule alone.
  std::vector<Attribute> attributes = {};

  friend bool operator==(const Owner&, const Owner&) = default;
};

// A device as somebody else calls it.
struct DeviceName {
  enum class Form : uint8_t {
    uuid,   // of a GPU or a MIG instance
    index,  // as the vendor's tools number GPUs
    minor,  // of its device file
    pci,    // "0000:1b:00.0"
  };
  Form form = Form::uuid;
  std::string text;
  std::string vendor = {};    // "nvidia", "amd", "intel"; empty: any
  int gpu_instance = -1;      // a MIG instance of that GPU; -1: none is meant
  int compute_instance = -1;  // a part of that instance; -1: all of it

  friend auto operator<=>(const DeviceName&, const DeviceName&) = default;
};

// A device was given to an owner, whether it uses it or not.
struct Holding {
  std::string owner;  // key
  DeviceName device;
  std::string evidence;  // how that is known: "pod_resources", "dra", "scontrol"...

  friend bool operator==(const Holding&, const Holding&) = default;
};

// A process belongs to an owner.
struct Member {
  pid_t pid = 0;
  // Keys of the owner, the most exact first; the first that some report knows counts.
  std::vector<std::string> owners = {};
  std::string evidence = {};  // "cgroup", "slurm_cgroup", "slurm_env", "proc"
  // What is known of the process alone: slurm.step.id, process.owner...
  std::vector<Attribute> attributes = {};

  friend bool operator==(const Member&, const Member&) = default;
};

// Something that was asked, and the answer, for people who want to see why.
struct Lookup {
  std::string question;  // "kubelet pod-resources List at unix:/var/lib/..."
  std::string answer;    // "12 pods, 8 devices"

  friend bool operator==(const Lookup&, const Lookup&) = default;
};

struct Ownership {
  std::vector<Owner> owners = {};
  std::vector<Holding> holdings = {};
  std::vector<Member> members = {};
  // Devices whose holders this source knows, held or not: of owners of that kind, only these
  // should be on them.
  std::vector<DeviceName> managed = {};
  OwnerKind managed_for = OwnerKind::pod;
  std::vector<Lookup> lookups = {};

  // Whether both say the same, however they came to know.
  bool says_as(const Ownership& other) const {
    return owners == other.owners && holdings == other.holdings && members == other.members &&
           managed == other.managed && managed_for == other.managed_for;
  }
};

std::string_view to_string(OwnerKind kind);

}  // namespace warpsight
